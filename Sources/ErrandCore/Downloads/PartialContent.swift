#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What is known of a file that is not whole yet, and the rules for going on with it. Pure.
struct PartialContent: Sendable, Hashable, Codable {
  /// The URL it came from, without its secrets.
  var url: String
  /// The value for `If-Range`: a strong `ETag`, or a `Last-Modified` that is as good as one.
  var validator: String
  /// The length of the whole, if it was told.
  var total: Int64?

  /// What can be remembered of an answer, or nil if it could not be gone on with.
  init?(url: String, head: ResponseHead) {
    // Of a part that somebody else asked for it is not known where it belongs.
    guard head.status != 206, !head.fields.contains("Content-Encoding"),
      let validator = Self.validator(head.fields)
    else {
      return nil
    }
    self.url = url
    self.validator = validator
    total = head.contentLength
  }

  enum Decision: Sendable, Hashable {
    /// The bytes go behind those that are here.
    case append
    /// The bytes are the whole, from zero.
    case startOver
    /// The answer fits nothing that was asked: forget what is here and ask again for the whole.
    case askAgain
  }

  /// What an answer is, to a request that asked for the rest after `length` bytes.
  func decide(_ head: ResponseHead, after length: Int64) -> Decision {
    switch head.status.rawValue {
    case 206:
      guard let range = ContentRange(head.fields), range.start == length else { return .askAgain }
      if let total, let now = range.total, total != now { return .askAgain }
      // A server that ignores If-Range may send the rest of another version: its own validator tells.
      let fields = head.fields
      if fields.contains("ETag") || fields.contains("Last-Modified"), !carries(validator, fields) {
        return .askAgain
      }
      return .append
    case 416: return .askAgain
    default: return .startOver
    }
  }

  private func carries(_ validator: String, _ fields: HTTPFields) -> Bool {
    validator.hasPrefix("\"") && fields.contains("ETag")
      ? fields["ETag"] == validator
      : !fields.contains("Last-Modified") || fields["Last-Modified"] == validator
  }

  /// RFC 9110, section 13.1.5: only what tells every version from every other may be used.
  private static func validator(_ fields: HTTPFields) -> String? {
    if let tag = fields["ETag"] { return tag.hasPrefix("\"") ? tag : nil }
    guard let modified = fields["Last-Modified"], let date = HTTPDate.parse(modified),
      let sent = fields["Date"].flatMap(HTTPDate.parse), sent.timeIntervalSince(date) >= 1
    else { return nil }
    return modified
  }
}

/// `Content-Range: bytes 5-9/10` (RFC 9110, section 14.4).
struct ContentRange: Sendable, Hashable {
  let start: Int64
  let total: Int64?

  init?(_ fields: HTTPFields) {
    guard let value = fields["Content-Range"] else { return nil }
    let parts = value.split { " -/".contains($0) }
    guard parts.count == 4, ASCII.equalIgnoringCase(String(parts[0]), "bytes"), let start = Int64(parts[1]),
      let end = Int64(parts[2]), start <= end
    else { return nil }
    self.start = start
    total = Int64(parts[3])
    if let total, end >= total { return nil }
  }
}
