import ErrandStructuredFields

/// The type that a structured field is defined to have (RFC 9651, section 3).
public enum StructuredFieldType: Sendable, Hashable {
  /// A List, such as `Cache-Status`.
  case list
  /// A Dictionary, such as `Signature`.
  case dictionary
  /// An Item, such as `Deprecation`.
  case item
}

/// The types of fields, for components that cover them as structured fields (`sf` and `key`).
struct StructuredFieldTypes: Sendable {
  private let added: [String: StructuredFieldType]

  /// - Parameter added: The types of more fields, and of standard ones that have another type here.
  init(_ added: [String: StructuredFieldType]) {
    self.added = Dictionary(added.map { (Self.key($0), $1) }) { $1 }
  }

  /// The fields that their RFCs define as structured fields.
  private static let standard: [String: StructuredFieldType] = [
    "accept-ch": .list, "accept-query": .list, "accept-signature": .dictionary, "cache-groups": .list,
    "cache-group-invalidation": .list, "cache-status": .list, "capsule-protocol": .item,
    "cdn-cache-control": .dictionary, "client-cert": .item, "client-cert-chain": .list,
    "concealed-auth-export": .item, "content-digest": .dictionary, "cross-origin-embedder-policy": .item,
    "cross-origin-opener-policy": .item, "deprecation": .item, "origin-agent-cluster": .item,
    "priority": .dictionary, "proxy-status": .list, "repr-digest": .dictionary, "signature": .dictionary,
    "signature-input": .dictionary, "unencoded-digest": .dictionary, "want-content-digest": .dictionary,
    "want-repr-digest": .dictionary, "want-unencoded-digest": .dictionary,
  ]

  /// The type of a field; nil if it is unknown. The name may be in upper or lower case.
  subscript(name: String) -> StructuredFieldType? {
    let key = Self.key(name)
    return added[key] ?? Self.standard[key]
  }

  private static func key(_ name: String) -> String {
    String(decoding: name.utf8.map(FieldByte.lowered), as: UTF8.self)
  }
}
