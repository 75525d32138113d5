#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Finds the keys that content is encrypted with.
public protocol ContentKeyProvider: Sendable {
  /// Returns the key that a content's header names, which is called once for each content. An implementation
  /// that needs not wait leaves out `async`.
  /// - Parameter id: The name in the header: up to 255 bytes, of which anybody may have written any.
  /// - Throws: Any error, if there is no such key; the content is then not decrypted.
  func contentKey(for id: Data) async throws -> ContentKey

  /// Tells these keys from others: responses that are decrypted with them are shared and cached only among requests with
  /// the same identity. It need not be secret. Default: nil; then each `decrypting(with:)` makes another identity.
  var identity: String? { get }
}

extension ContentKeyProvider {
  public var identity: String? { nil }
}

/// Keys that are at hand, found by their names.
public struct ContentKeys: ContentKeyProvider {
  private let keys: [Data: ContentKey]

  /// - Parameter keys: Of two with one name the later one counts.
  public init(_ keys: ContentKey...) { self.init(keys) }

  public init(_ keys: [ContentKey]) {
    self.keys = Dictionary(keys.map { ($0.id, $0) }) { $1 }
  }

  /// The same for the same keys, at each start.
  public var identity: String? { keys.values.map(\.fingerprint).sorted().joined(separator: " ") }

  /// - Throws: `.unknownKey` if there is no key with this name.
  public func contentKey(for id: Data) throws(ContentEncryptionError) -> ContentKey {
    guard let key = keys[id] else {
      throw ContentEncryptionError(
        .unknownKey,
        "the content is encrypted with the key \(ContentKey.shown(id)), which is not here; add it to the keys, "
          + "or have the sender use one of them")
    }
    return key
  }
}
