#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A description of a file that is not whole yet, and the rules for resuming it. Pure.
struct PartialContent: Sendable, Hashable, Codable {
  /// The URL that the bytes came from, without its secrets.
  var url: String
  /// The value for `If-Range`: a strong `ETag`, or a `Last-Modified` that is as good as one.
  var validator: String
  /// The length of the whole, if known.
  var total: Int64?

  /// Describes the bytes of a response; nil if they could not be resumed.
  init?(url: String, head: ResponseHead) {
    // The position of a range that the caller asked for is not known.
    guard head.status != 206 && !head.namesPart || ContentRange(head)?.isWhole == true, !head.isCoded,
      let validator = Self.validator(head.fields)
    else {
      return nil
    }
    self.url = url
    self.validator = validator
    total = head.contentLength
  }

  enum Decision: Sendable, Hashable {
    /// The bytes follow those in the file, up to `end`; the whole has `total`.
    case append(end: Int64, total: Int64)
    /// The bytes are the whole, from zero.
    case startOver
    /// The response does not fit the request: discard the file's bytes and ask again for the whole.
    case askAgain
  }

  /// Returns how to treat a response to a request for the rest after `length` bytes.
  func decide(_ head: ResponseHead, after length: Int64) -> Decision {
    switch head.status.code {
    // Some servers send a part with the status of the whole, and only Content-Range tells.
    case 200, 203, 206:
      guard head.status == 206 || head.fields.contains("Content-Range") else { return .startOver }
      guard let range = ContentRange(head), !head.isCoded else { return .askAgain }
      if range.isWhole, head.status != 206 { return .startOver }
      guard range.start == length else { return .askAgain }
      // Without the length of the whole, a part could pass for the rest.
      guard let total = range.total ?? total, total == self.total ?? total, range.end <= total else {
        return .askAgain
      }
      // Only parts with the same validator are of one version (RFC 9110, section 15.3.7.3): a server that
      // ignores If-Range may send the rest of another.
      let name = validator.hasPrefix("\"") ? "ETag" : "Last-Modified"
      guard let now = head.fields[name], ASCII.areSame(now, validator) else { return .askAgain }
      return .append(end: range.end, total: total)
    // No other success is the whole: a 204, for instance, has no content.
    case 416, 201..<300, 304: return .askAgain
    // The caller accepts any status.
    default: return .startOver
    }
  }

  /// RFC 9110, section 13.1.5: only a validator that distinguishes every version from every other may be
  /// used.
  private static func validator(_ fields: HTTPFields) -> String? {
    if let tag = fields["ETag"] { return IfRange.isStrongTag(tag) ? tag : nil }
    guard let modified = fields["Last-Modified"], let date = HTTPDate.parse(modified),
      let sent = fields["Date"].flatMap(HTTPDate.parse), sent.timeIntervalSince(date) >= 1
    else { return nil }
    return IfRange.isValid(modified) ? modified : nil
  }
}

/// `Content-Range: bytes 5-9/10` (RFC 9110, section 14.4).
struct ContentRange: Sendable, Hashable {
  let start: Int64
  /// The offset behind the last byte.
  let end: Int64
  let total: Int64?

  /// Returns nil if the field is missing, malformed, impossible, or contradicted by `Content-Length`.
  init?(_ head: ResponseHead) {
    let values = head.fields.values(of: "Content-Range")
    guard values.count == 1 else { return nil }
    let words = ASCII.trimmed(values[0]).split(separator: " ", maxSplits: 1)
    guard words.count == 2, ASCII.equalIgnoringCase(String(words[0]), "bytes") else { return nil }
    let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let start = ASCII.wholeNumber(ends[0]), let last = ASCII.wholeNumber(ends[1]),
      start <= last, last < .max
    else { return nil }
    self.start = start
    end = last + 1
    total = parts[1] == "*" ? nil : ASCII.wholeNumber(parts[1])
    if parts[1] != "*" {
      guard let total, end <= total else { return nil }
    }
    if let length = head.contentLength, length != end - start { return nil }
  }

  var count: Int64 { end - start }
  var isWhole: Bool { start == 0 && end == total }

  /// Returns the range that a response brings; nil if it brings the whole, or does not say which range.
  /// - Parameter isFile: True if the body is written to a file, which must be whole, whatever the method and the unit.
  /// - Throws: `RequestError`, if the response brings another part than the request asked for.
  static func checked(
    _ head: ResponseHead, of request: Request, isFile: Bool
  ) throws(RequestError) -> ContentRange? {
    guard head.status == 206 || head.namesPart, head.status.mayHaveBody(to: request.method) else {
      return nil
    }
    let range = ContentRange(head)
    if let range, range.isWhole, head.status != 206 { return range }
    // A range that the caller asked for is all that was wanted.
    if request.fields.contains("Range") {
      if let asked = AskedRange(request.fields), !asked.covers(range) {
        throw misfit(head, "a part of the content, and another than the request asked for")
      }
      return range
    }
    // To a POST, for instance, a 206 may say that it succeeded in part.
    let isPart = head.namesPart || !head.fields.contains("Content-Range")
    guard isFile || (isPart && request.method == .get) else { return nil }
    guard let range, range.isWhole else {
      throw misfit(head, "a part of the content where the request asked for the whole")
    }
    return range
  }

  private static func misfit(_ head: ResponseHead, _ what: String) -> RequestError {
    RequestError(
      .invalidResponse, message: "the server sent \(what)", status: head.status, fields: head.fields,
      reachedServer: true)
  }
}

extension ResponseHead {
  /// True for a success whose `Content-Range` says that its body is a range of bytes, whatever the status. A range in
  /// another unit, such as the items of a list, is not about the body.
  var namesPart: Bool {
    guard status.isSuccess, fields.contains("Content-Range") else { return false }
    return fields.values(of: "Content-Range").contains {
      ASCII.equalIgnoringCase(String(ASCII.trimmed($0).prefix(5)), "bytes")
    }
  }
}

/// The single range that a caller's own `Range` asks for: `bytes=a-b` or `bytes=a-`. Pure.
struct AskedRange: Sendable, Hashable {
  private let start: Int64
  /// The offset of the last byte; nil for the end of the file.
  private let last: Int64?

  /// Returns nil if the request asks for several ranges, for a suffix of the file, or for something no server
  /// understands.
  init?(_ fields: HTTPFields) {
    let values = fields.values(of: "Range")
    guard values.count == 1 else { return nil }
    let sides = ASCII.trimmed(values[0]).split(separator: "=", omittingEmptySubsequences: false)
    guard sides.count == 2, ASCII.equalIgnoringCase(ASCII.trimmed(sides[0]), "bytes") else { return nil }
    let ends = ASCII.trimmed(sides[1]).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let start = ASCII.wholeNumber(ends[0]) else { return nil }
    let last = ASCII.wholeNumber(ends[1])
    guard last != nil || ends[1].isEmpty else { return nil }
    self.start = start
    self.last = last
  }

  /// Returns true for a range that begins at the requested offset, and is no longer. A shorter file may end
  /// before.
  func covers(_ range: ContentRange?) -> Bool {
    guard let range, range.start == start else { return false }
    return range.end - 1 <= last ?? .max
  }
}

/// Validation of the value of `If-Range` (RFC 9110, section 13.1.5), whether it comes from a server or a
/// file.
enum IfRange {
  static func isValid(_ text: String) -> Bool {
    isStrongTag(text) || (!ASCII.hasControl(text) && HTTPDate.parse(text) != nil)
  }

  /// Returns true for `"…"` of the characters that an entity tag may have (RFC 9110, section 8.8.3).
  static func isStrongTag(_ text: String) -> Bool {
    let bytes = text.utf8
    return bytes.count > 1 && bytes.first == 0x22 && bytes.last == 0x22
      && bytes.dropFirst().dropLast().allSatisfy { $0 > 32 && $0 != 0x22 && $0 != 127 }
  }
}
