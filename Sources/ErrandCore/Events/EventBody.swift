#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The beginning of a body, as a listener sees it.
package struct EventBody: Sendable, Hashable {
  /// The text, in which each secret that is recognized by name is replaced by `***`; nil if the body is not
  /// text in its charset.
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
  package init?(_ bytes: Data, length: Int64, _ type: String?, _ secrets: Secrets) {
    let type = type.map(ASCII.lowercased) ?? ""
    guard !type.hasPrefix("multipart/") else { return nil }
    count = bytes.count
    self.length = length
    let isText = ["json", "form-urlencoded", "text/"].contains { type.contains($0) }
    // The beginning may end in the middle of a character.
    let isCut = Int64(bytes.count) < length
    let valid = Charset.validText(of: bytes, type: type, isText: isText, isCut: isCut)
    let text =
      valid ?? (isText ? Charset.text(of: bytes, type: type) : String(decoding: bytes, as: UTF8.self))
    let shown = secrets.redact(body: text, contentType: type)
    // The bytes of an invalid text would show its secrets.
    let isShown = valid != nil || shown != text
    self.text = isShown ? shown : nil
    base64 = isShown ? nil : bytes.base64EncodedString()
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

/// The beginning of a body for a listener that stores many. It has a copy of the bytes, which is redacted
/// when it is shown.
package struct HeldBody: Sendable {
  private let bytes: Data
  private let length: Int64
  private let type: String?
  private let client: EventSource

  init(_ bytes: Data, length: Int64, _ type: String?, _ client: EventSource) {
    // Copied, because a slice would keep the whole body in memory.
    self.bytes = Data(Array(bytes))
    self.length = length
    self.type = type
    self.client = client
  }

  package var count: Int { bytes.count }
  package var isWhole: Bool { Int64(bytes.count) == length }

  /// The body, in which secrets that are recognized by name are hidden.
  package var shown: EventBody? { EventBody(bytes, length: length, type, client.secrets) }
}

/// The head of a response for a listener that stores many. It does not keep the body in memory.
package struct HeldHead: Sendable {
  private let head: ResponseHead
  private let client: EventSource

  init(_ head: ResponseHead, _ client: EventSource) {
    self.head = head
    self.client = client
  }

  package var status: HTTPStatus { head.status }
  package var heldBytes: Int { head.fields.heldBytes }

  /// The head without its fields.
  package var trimmed: HeldHead { HeldHead(ResponseHead(status: head.status, fields: [:]), client) }
  /// The header fields, in which each secret is replaced by `***`.
  package var fields: HTTPFields { head.fields.masked(hiding: client.secrets) }
}

extension HTTPFields {
  /// The number of bytes of the names and values.
  var heldBytes: Int { reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } }
}
