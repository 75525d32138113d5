#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The beginning of a body, as a listener sees it.
package struct EventBody: Sendable, Hashable {
  /// The text, in which each secret that is recognized by name is replaced by `***`; nil if the body is not
  /// text.
  package let text: String?
  /// The bytes in base64; nil if the body is text.
  package let base64: String?
  /// The number of bytes that `text` or `base64` shows.
  package let count: Int
  /// The length of the body in bytes, as far as it has arrived.
  package let length: Int64

  /// True if the body is shown completely, and not only its beginning.
  package var isWhole: Bool { Int64(count) == length }

  /// Returns nil for a body in which secrets cannot be recognized, such as a multipart form.
  init?(_ bytes: Data, length: Int64, _ type: String?, _ secrets: Secrets) {
    let type = type.map(ASCII.lowercased) ?? ""
    guard !type.hasPrefix("multipart/") else { return nil }
    count = bytes.count
    self.length = length
    // The beginning may end in the middle of a character.
    let isCut = Int64(bytes.count) < length
    let text = (0...(isCut ? 3 : 0)).lazy
      .compactMap { String(validating: bytes.dropLast($0), as: UTF8.self) }.first
    let isText = ["json", "form-urlencoded", "text/"].contains { type.contains($0) }
    if let text = text ?? (isText ? String(decoding: bytes, as: UTF8.self) : nil) {
      self.text = secrets.redact(body: text, contentType: type)
      base64 = nil
    } else {
      self.text = nil
      base64 = bytes.base64EncodedString()
    }
  }
}

/// The beginning of a body that does not stay in memory, and the length received so far.
struct CapturedBody: Sendable {
  private(set) var bytes = Data()
  private(set) var length: Int64 = 0

  mutating func take(_ chunk: Data, limit: Int) {
    length += Int64(chunk.count)
    let room = limit - bytes.count
    if room > 0 { bytes.append(chunk.prefix(room)) }
  }
}
