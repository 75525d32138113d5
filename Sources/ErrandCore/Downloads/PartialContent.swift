#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A description of an incomplete file, and the rules for resuming it. Pure.
struct PartialContent: Sendable, Hashable, Codable {
  /// The URL that the bytes came from, without its secrets.
  var url: String
  /// The value for `If-Range`: a strong `ETag`, or a `Last-Modified` that is equally reliable.
  var validator: String
  /// The length of the whole file, if known.
  var total: Int64?

  /// Describes the bytes of a response. Returns nil if they could not be resumed.
  init?(url: String, head: ResponseHead) {
    // If the caller asked for a range, its position is not known.
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
    /// The bytes follow those in the file, up to `end`. The whole file has the length `total`.
    case append(end: Int64, total: Int64)
    /// The bytes are the whole file, from zero.
    case startOver
    /// The response does not fit the request: discard the file's bytes, and ask for the whole file.
    case askAgain
  }

  /// Returns how to treat a response to a request for the rest after `length` bytes.
  func decide(_ head: ResponseHead, after length: Int64) -> Decision {
    switch head.status.code {
    // Some servers send a part with the status of a whole response, and only Content-Range reveals it.
    case 200, 203, 206:
      guard head.status == 206 || head.fields.contains("Content-Range") else { return .startOver }
      guard let range = ContentRange(head), !head.isCoded else { return .askAgain }
      if range.isWhole, head.status != 206 { return .startOver }
      guard range.start == length else { return .askAgain }
      // Without the length of the whole file, a part could pass for the rest.
      guard let total = range.total ?? total, total == self.total ?? total, range.end <= total else {
        return .askAgain
      }
      // Only parts with the same validator belong to one version (RFC 9110, section 15.3.7.3). A server that
      // ignores If-Range may send the rest of another version.
      let name = validator.hasPrefix("\"") ? "ETag" : "Last-Modified"
      guard let now = head.fields[name], ASCII.areSame(now, validator) else { return .askAgain }
      return .append(end: range.end, total: total)
    // No other success is a whole file: a 204, for instance, has no content.
    case 416, 201..<300, 304: return .askAgain
    // The caller accepts any status.
    default: return .startOver
    }
  }

  /// Returns the validator for `If-Range`, which must tell every version from every other (RFC 9110, section
  /// 13.1.5).
  private static func validator(_ fields: HTTPFields) -> String? {
    if let tag = fields["ETag"] { return IfRange.isStrongTag(tag) ? tag : nil }
    guard let modified = fields["Last-Modified"], let date = HTTPDate.parse(modified),
      let sent = fields["Date"].flatMap(HTTPDate.parse), sent.timeIntervalSince(date) >= 1
    else { return nil }
    return IfRange.isValid(modified) ? modified : nil
  }
}

/// The value of `Content-Range: bytes 5-9/10` (RFC 9110, section 14.4).
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

  /// Returns the range that a response contains; nil if it contains the whole, or does not say which range.
  /// - Parameter isFile: True if the body is written to a file, which must be complete, whatever the method
  ///   and the unit.
  /// - Throws: `RequestError`, if the response contains another part than the request asked for.
  static func checked(
    _ head: ResponseHead, of request: Request, isFile: Bool
  ) throws(RequestError) -> ContentRange? {
    guard head.status == 206 || head.namesPart, head.status.mayHaveBody(to: request.method) else {
      return nil
    }
    let range = ContentRange(head)
    if let range, range.isWhole, head.status != 206 { return range }
    // If the caller asked for a range, that range is enough.
    if request.fields.contains("Range") {
      if let asked = AskedRange(request.fields), !asked.covers(range) {
        throw misfit(head, "another part of the content than the request asked for")
      }
      return range
    }
    // In a response to a POST, for instance, a 206 may mean partial success.
    let isPart = head.namesPart || !head.fields.contains("Content-Range")
    guard isFile || (isPart && request.method == .get) else { return nil }
    guard let range, range.isWhole else {
      throw misfit(head, "a part of the content, although the request asked for all of it")
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
  /// True for a success whose `Content-Range` says that its body is a range of bytes, whatever the status. A
  /// range in another unit, such as the items of a list, does not concern the body.
  var namesPart: Bool {
    guard status.isSuccess, fields.contains("Content-Range") else { return false }
    return fields.values(of: "Content-Range").contains {
      ASCII.equalIgnoringCase(String(ASCII.trimmed($0).prefix(5)), "bytes")
    }
  }
}

extension HTTPFields {
  /// The texts before and after the dash of a single range of bytes; nil for several ranges or another unit.
  var endsOfRange: (first: Substring, last: Substring)? {
    let values = values(of: "Range")
    guard values.count == 1 else { return nil }
    let sides = ASCII.trimmed(values[0]).split(separator: "=", omittingEmptySubsequences: false)
    guard sides.count == 2, ASCII.equalIgnoringCase(ASCII.trimmed(sides[0]), "bytes") else { return nil }
    let ends = ASCII.trimmed(sides[1]).split(separator: "-", omittingEmptySubsequences: false)
    return ends.count == 2 ? (ends[0], ends[1]) : nil
  }
}

/// The single range that a caller's `Range` field asks for: `bytes=a-b` or `bytes=a-`. Pure.
struct AskedRange: Sendable, Hashable {
  private let start: Int64
  /// The offset of the last byte; nil for the end of the file.
  private let last: Int64?

  /// Returns nil if the request asks for several ranges or for a suffix of the file, or if its field is not
  /// valid.
  init?(_ fields: HTTPFields) {
    guard let ends = fields.endsOfRange, let start = ASCII.wholeNumber(ends.first) else { return nil }
    let last = ASCII.wholeNumber(ends.last)
    guard last != nil || ends.last.isEmpty else { return nil }
    self.start = start
    self.last = last
  }

  /// Returns true for a range that begins at the requested offset, and is not longer. In a shorter file, it
  /// may end earlier.
  func covers(_ range: ContentRange?) -> Bool {
    guard let range, range.start == start else { return false }
    return range.end - 1 <= last ?? .max
  }
}

/// Checks values of `If-Range` (RFC 9110, section 13.1.5) that come from a server or a file.
enum IfRange {
  static func isValid(_ text: String) -> Bool {
    isStrongTag(text) || (!ASCII.hasControl(text) && HTTPDate.parse(text) != nil)
  }

  /// Returns true for `"…"` with the characters that an entity tag may have (RFC 9110, section 8.8.3).
  static func isStrongTag(_ text: String) -> Bool {
    let bytes = text.utf8
    return bytes.count > 1 && bytes.first == 0x22 && bytes.last == 0x22
      && bytes.dropFirst().dropLast().allSatisfy { $0 > 32 && $0 != 0x22 && $0 != 127 }
  }
}
