import ErrandCrypto

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A response cache that encrypts what another one stores, with AES-256-GCM. The other one sees neither names nor URLs,
/// only the sizes and the times of responses, and which of them belong to one user.
///
/// ```swift
/// let store = DiskResponseCache(folder: folder)
/// configuration.cache = .http(EncryptedResponseCache(store, key: key))
/// ```
///
/// A response that was stored with another key, or changed since, is not found. Bodies are encrypted in memory, so a
/// body that is larger than the request's `memoryLimit` is not cached.
public final class EncryptedResponseCache: ResponseCache {
  private let store: any ResponseCache
  private let nameKey: Data
  private let contentKey: Data

  /// Creates a cache on another one, which only encrypted caches with the same key should use.
  /// - Parameters:
  ///   - store: The cache that stores the encrypted responses.
  ///   - key: At least 32 unpredictable bytes. Store them with the system's secrets, such as the keychain. To use a
  ///     password, derive a key from it first (HKDF, scrypt).
  public init(_ store: any ResponseCache, key: Data) {
    self.store = store
    func derived(_ purpose: String) -> Data {
      Data(SHA256Digest(of: Data("errand cache \(purpose)".utf8), key: key).bytes)
    }
    nameKey = derived("names")
    contentKey = derived("content")
  }

  public func salt() async throws -> Data { try await store.salt() }

  public func read(_ key: CacheKey) async throws -> CachedResponse? {
    try await store.read(sealed(key)).flatMap { opened($0, key) }
  }

  public func readVariants(of key: CacheKey) async throws -> [CachedResponse?] {
    let found = try await store.readVariants(of: sealed(key))
    return zip(CacheKey.variants, found).map { number, response in
      response.flatMap { opened($0, key.variant(number)) }
    }
  }

  public func write(_ response: CachedResponse, under key: CacheKey) async throws {
    let key = (plain: key, sealed: sealed(key))
    let head = seal(CacheFileHead(response, under: key.plain).bytes(), key.sealed.data)
    // The store is told that there may be other variants, and nothing else.
    let fields: HTTPFields = response.rules.vary.names.isEmpty ? [:] : ["Vary": "Encrypted"]
    guard let url = URL(string: Self.scheme + head.base64EncodedString()) else { return }
    let hidden = CachedResponse(
      status: 200, fields: fields, data: seal(try await response.body.load(), head), url: url,
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

  private func opened(_ stored: CachedResponse, _ key: CacheKey) -> CachedResponse? {
    guard let (head, sealedHead) = head(in: stored.url, sealed(key)), let own = try? head.key(), own == key,
      let body = try? stored.body.loaded(), let plain = open(body, sealedHead)
    else { return nil }
    return try? head.response(with: CachedBody(plain))
  }

  private func head(in url: URL, _ key: CacheKey) -> (head: CacheFileHead, sealed: Data)? {
    let text = url.absoluteString
    guard text.hasPrefix(Self.scheme),
      let sealed = Data(base64Encoded: String(text.dropFirst(Self.scheme.count))),
      let head = open(sealed, key.data).flatMap({ CacheFileHead($0) })
    else { return nil }
    return (head, sealed)
  }

  /// - Parameter context: The bytes that the sealed ones belong to, so that they cannot be exchanged.
  private func seal(_ plain: Data, _ context: Data) -> Data {
    var random = SystemRandomNumberGenerator()
    let nonce = Data((0..<AESGCM.nonceLength).map { _ in UInt8.random(in: 0...(.max), using: &random) })
    return nonce + AESGCM.seal(plain, with: contentKey, nonce: nonce, authenticating: context)
  }

  private func open(_ sealed: Data, _ context: Data) -> Data? {
    guard sealed.count >= AESGCM.nonceLength else { return nil }
    return AESGCM.open(
      Data(sealed.dropFirst(AESGCM.nonceLength)), with: contentKey,
      nonce: Data(sealed.prefix(AESGCM.nonceLength)),
      authenticating: context)
  }
}

extension CacheKey {
  fileprivate var data: Data { Data("\(variant) \(partition) \(name)".utf8) }
}
