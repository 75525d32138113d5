#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Finds the key that a content is encrypted with.
public protocol ContentKeyProvider: Sendable {
  /// Returns the key that a content's header names. It is called once for each content. An implementation
  /// that does not wait can omit `async`.
  /// - Parameter id: The name in the header, of up to 255 bytes. It comes from the network, so do not trust
  ///   it.
  /// - Throws: Any error if the key is unknown; the content is then not decrypted.
  func contentKey(for id: Data) async throws -> ContentKey

  /// A name for these keys, which need not be secret. Requests share and cache decrypted responses only with
  /// requests of the same identity. Default: nil; then each `decrypting(with:)` has a separate identity.
  var identity: String? { get }
}

extension ContentKeyProvider {
  /// Nil: each `decrypting(with:)` has a separate identity.
  public var identity: String? { nil }
}

/// A fixed set of keys, found by their names.
public struct ContentKeys: ContentKeyProvider {
  private let keys: [Data: ContentKey]

  /// Makes a provider of these keys. If several keys have the same name, the last is used.
  public init(_ keys: [ContentKey]) {
    self.keys = Dictionary(keys.map { ($0.id, $0) }) { $1 }
  }

  /// A digest of the keys. It stays the same when the program restarts.
  public var identity: String? { keys.values.map(\.fingerprint).sorted().joined(separator: " ") }

  /// Returns the key with this name.
  /// - Throws: `.unknownKey` if no key has this name.
  public func contentKey(for id: Data) throws(SigningError) -> ContentKey {
    guard let key = keys[id] else {
      throw SigningError(
        .unknownKey,
        "the content is encrypted with the key \(ContentKey.shown(id)), which is not among the keys; add it, "
          + "or have the sender use one of these keys")
    }
    return key
  }
}
