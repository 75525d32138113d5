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

/// The types of fields, for components that cover them as structured fields (`sf` and `key`). Messages do not
/// contain them, so the signer and the verifier have to know the same types.
///
/// ```swift
/// var types = StructuredFieldTypes.standard
/// types["Example-Dictionary"] = .dictionary
/// ```
public struct StructuredFieldTypes: Sendable, Hashable {
  private var types: [String: StructuredFieldType]

  /// The fields that their RFCs define as structured fields.
  public static let standard = StructuredFieldTypes(types: [
    "accept-ch": .list, "accept-query": .list, "accept-signature": .dictionary, "cache-groups": .list,
    "cache-group-invalidation": .list, "cache-status": .list, "capsule-protocol": .item,
    "cdn-cache-control": .dictionary, "client-cert": .item, "client-cert-chain": .list,
    "concealed-auth-export": .item, "content-digest": .dictionary, "cross-origin-embedder-policy": .item,
    "cross-origin-opener-policy": .item, "deprecation": .item, "origin-agent-cluster": .item,
    "priority": .dictionary, "proxy-status": .list, "repr-digest": .dictionary, "signature": .dictionary,
    "signature-input": .dictionary, "unencoded-digest": .dictionary, "want-content-digest": .dictionary,
    "want-repr-digest": .dictionary, "want-unencoded-digest": .dictionary,
  ])

  /// The type of a field; nil if it is unknown. The name may be in upper or lower case.
  public subscript(name: String) -> StructuredFieldType? {
    get { types[Self.key(name)] }
    set { types[Self.key(name)] = newValue }
  }

  private static func key(_ name: String) -> String {
    String(decoding: name.utf8.map(FieldByte.lowered), as: UTF8.self)
  }
}
