#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The beginning of a body as a listener sees it.
public struct EventBody: Sendable, Hashable {
  /// The text, with `***` in the place of each secret that can be told by its name; nil for bytes.
  public let text: String?
  /// The bytes in base64; nil for text.
  public let base64: String?
  /// The number of bytes that are shown.
  public let count: Int
  /// The length of the body in bytes, as far as it has come.
  public let length: Int64

  /// False if only the beginning is shown.
  public var isWhole: Bool { Int64(count) == length }

  /// Returns nil for a body that may hold secrets that cannot be told from the rest.
  init?(_ bytes: Data, length: Int64, _ type: String?, _ secrets: Secrets) {
    let type = type.map(ASCII.lowercased) ?? ""
    guard !type.hasPrefix("multipart/") else { return nil }
    count = bytes.count
    self.length = length
    // A beginning may end within a character.
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

/// The beginning of a body that does not stay in memory, and its length so far.
struct CapturedBody: Sendable {
  private(set) var bytes = Data()
  private(set) var length: Int64 = 0

  mutating func take(_ chunk: Data, limit: Int) {
    length += Int64(chunk.count)
    let room = limit - bytes.count
    if room > 0 { bytes.append(chunk.prefix(room)) }
  }
}
