import ErrandCrypto

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A response cache that encrypts what another one stores, with AES-256-GCM. The other one sees neither names nor URLs,
/// only the sizes and the times of responses, how many a URL has, and which of them belong to one user.
///
/// ```swift
/// let store = DiskResponseCache(folder: folder)
/// configuration.cache = .http(try EncryptedResponseCache(store, key: key))
/// ```
///
/// A response that was stored with another key, or changed since, is not found. Bodies are encrypted in memory, so a
/// body that is larger than the request's `memoryLimit` is not cached.
public final class EncryptedResponseCache: ResponseCache {
  /// Says that a key is too short.
  public struct ShortKey: Error, Sendable, Hashable, CustomStringConvertible {
    /// The number of bytes of the key.
    public let count: Int
    public var description: String {
      "the key of an encrypted cache has \(count) bytes, and needs at least 32: make one from 32 random bytes"
    }
  }

  private let store: any ResponseCache
  private let nameKey: Data
  private let contentKey: Data
  private let saltKey: Data

  /// Creates a cache on another one, which only encrypted caches with the same key should use.
  /// - Parameters:
  ///   - store: The cache that stores the encrypted responses.
  ///   - key: At least 32 unpredictable bytes. Store them with the system's secrets, such as the keychain. To use a
  ///     password, derive a key from it first (HKDF, scrypt).
  /// - Throws: `ShortKey`, if the key has fewer bytes.
  public init(_ store: any ResponseCache, key: Data) throws(ShortKey) {
    guard key.count >= 32 else { throw ShortKey(count: key.count) }
    self.store = store
    func derived(_ purpose: String) -> Data {
      Data(SHA256Digest(of: Data("errand cache \(purpose)".utf8), key: key).bytes)
    }
    nameKey = derived("names")
    contentKey = derived("content")
    saltKey = derived("salt")
  }

  public func salt() async throws -> Data {
    // The other store's salt lies beside the responses, so by itself it would let everybody test guesses of credentials.
    Data(SHA256Digest(of: try await store.salt(), key: saltKey).bytes)
  }

  public func read(_ key: CacheKey) async throws -> CachedResponse? {
    guard let found = try await store.read(sealed(key)) else { return nil }
    return await opened(found, key)
  }

  public func readVariants(of key: CacheKey) async throws -> [CachedResponse?] {
    let found = try await store.readVariants(of: sealed(key))
    var variants: [CachedResponse?] = []
    for (number, response) in zip(CacheKey.variants, found) {
      guard let response else {
        variants.append(nil)
        continue
      }
      variants.append(await opened(response, key.variant(number)))
    }
    return variants
  }

  public func write(_ response: CachedResponse, under key: CacheKey) async throws {
    let key = (plain: key, sealed: sealed(key))
    // Each part is authenticated with the one that it belongs to, so that they cannot be exchanged.
    let head = AESGCM.seal(
      CacheFileHead(response, under: key.plain).bytes(), with: contentKey, authenticating: key.sealed.data)
    // The field says that there may be other variants, and not which fields select them.
    let fields: HTTPFields = response.rules.vary.names.isEmpty ? [:] : ["Vary": "Encrypted"]
    guard let url = URL(string: Self.scheme + head.base64EncodedString()) else { return }
    let hidden = CachedResponse(
      status: 200, fields: fields,
      data: AESGCM.seal(try await response.body.load(), with: contentKey, authenticating: head), url: url,
      date: response.date)
    try await store.write(hidden, under: key.sealed)
  }

  public func remove(_ key: CacheKey) async throws { try await store.remove(sealed(key)) }

  public func list() async throws -> [CacheEntry] {
    try await store.list().compactMap { entry in
      guard let head = head(in: entry.url, entry.key)?.head, let key = try? head.key(),
        sealed(key) == entry.key,
        let url = URL(string: head.url)
      else { return nil }
      return CacheEntry(
        key: key, status: HTTPStatus(head.status), url: url, date: entry.date, size: entry.size)
    }
  }

  public func clear() async throws { try await store.clear() }

  // MARK: Encryption

  /// The sealed head of a response is the URL of the stored one, because a list has it.
  private static let scheme = "encrypted:"

  /// Returns the key by which a response is stored: the same one for the same response.
  private func sealed(_ key: CacheKey) -> CacheKey {
    let code = SHA256Digest(of: Data(key.name.utf8), key: nameKey)
    return CacheKey("\(code)", partition: key.partition).variant(key.variant)
  }

  private func opened(_ stored: CachedResponse, _ key: CacheKey) async -> CachedResponse? {
    guard let (head, sealedHead) = head(in: stored.url, sealed(key)), let own = try? head.key(), own == key,
      let body = try? await stored.body.load(),
      let plain = AESGCM.open(body, with: contentKey, authenticating: sealedHead)
    else { return nil }
    return try? head.response(with: CachedBody(plain))
  }

  private func head(in url: URL, _ key: CacheKey) -> (head: CacheFileHead, sealed: Data)? {
    let text = url.absoluteString
    guard text.hasPrefix(Self.scheme),
      let sealed = Data(base64Encoded: String(text.dropFirst(Self.scheme.count))),
      let head = AESGCM.open(sealed, with: contentKey, authenticating: key.data).flatMap({ CacheFileHead($0) }
      )
    else { return nil }
    return (head, sealed)
  }
}

extension CacheKey {
  fileprivate var data: Data { Data("\(variant) \(partition) \(name)".utf8) }
}
