#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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
