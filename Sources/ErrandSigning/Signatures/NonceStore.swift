import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Remembers the nonces of verified signatures, so that none is accepted twice. Servers that share their work
/// need to share a store.
public protocol NonceStore: Sendable {
  /// Records a nonce, and checks in the same step whether it was recorded before.
  /// - Parameters:
  ///   - nonce: The nonce of the signature.
  ///   - keyID: The key of the signature. The same nonce may be used once with each key.
  ///   - expiry: The instant at which the signature expires. The store has to keep the nonce until then.
  ///   - now: The time.
  /// - Returns: False if the nonce was recorded before.
  /// - Throws: An error if the store cannot be read or written. The signature is then refused.
  func take(_ nonce: String, keyID: String?, until expiry: Date, now: Date) async throws -> Bool
}

/// A store of nonces in the memory of this process. A nonce takes about 50 bytes, whatever its length.
///
/// If the store is full of nonces that have not expired, it refuses others. If it forgot a nonce, it would
/// accept its signature a second time.
public final class MemoryNonceStore: NonceStore {
  private let state: Locked<NonceMemory>

  /// Makes an empty store.
  /// - Parameter capacity: The most nonces that are kept at once. It should be as large as the number of
  ///   signatures that are verified during the lifetime of one.
  public init(capacity: Int = 100_000) { state = Locked(NonceMemory(capacity: capacity)) }

  /// The number of nonces in the store, including expired ones that were not removed yet.
  package var count: Int { state.withLock { $0.count } }

  /// Records a nonce until `expiry`.
  /// - Returns: False if the nonce was recorded before and has not expired.
  /// - Throws: `SigningError.nonceStoreFull`.
  public func take(
    _ nonce: String, keyID: String?, until expiry: Date, now: Date
  ) throws(SigningError) -> Bool {
    let key = NonceMemory.key(nonce, keyID)
    return try state.withLock { state throws(SigningError) in try state.take(key, until: expiry, now: now) }
  }
}

/// The rules of the store.
struct NonceMemory {
  /// The first half of a digest.
  struct Key: Hashable, Sendable {
    let high: UInt64
    let low: UInt64
  }

  private let capacity: Int
  private var expiries: [Key: Date] = [:]
  /// The earliest expiry of a nonce, or an earlier instant.
  private var earliest = Date.distantFuture

  init(capacity: Int) { self.capacity = max(1, capacity) }

  var count: Int { expiries.count }

  static func key(_ nonce: String, _ keyID: String?) -> Key {
    var hasher = DigestHasher(.sha256)
    // The length separates the name from the nonce.
    hasher.update(Data("\(keyID.map { "\($0.utf8.count) \($0)" } ?? "-") \(nonce)".utf8))
    let digest = hasher.finalize()
    func word(_ bytes: Data) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    return Key(high: word(digest.prefix(8)), low: word(digest.dropFirst(8).prefix(8)))
  }

  mutating func take(_ key: Key, until expiry: Date, now: Date) throws(SigningError) -> Bool {
    if let known = expiries[key], known > now { return false }
    if expiries.count >= capacity, earliest <= now { removeExpired(now) }
    guard expiries.count < capacity || expiries[key] != nil else {
      throw SigningError(
        .nonceStoreFull,
        "the store of nonces is full: \(capacity) have not expired; give it a larger capacity, or let signatures "
          + "expire sooner")
    }
    expiries[key] = expiry
    earliest = min(earliest, expiry)
    return true
  }

  private mutating func removeExpired(_ now: Date) {
    expiries = expiries.filter { $0.value > now }
    earliest = expiries.values.min() ?? .distantFuture
  }
}
