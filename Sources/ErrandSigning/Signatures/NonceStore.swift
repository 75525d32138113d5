import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Remembers the nonces of signatures that were verified, so that none of them is accepted twice. Servers that share
/// their work share one store.
public protocol NonceStore: Sendable {
  /// Takes a nonce, in one step with the look at whether it was taken before.
  /// - Parameters:
  ///   - keyID: The key of the signature: each has nonces of its own.
  ///   - expiry: The instant from which the signature is not valid any more: until then it has to be remembered.
  /// - Returns: False if it was taken before.
  /// - Throws: If that cannot be told. The signature is refused then.
  func take(_ nonce: String, keyID: String?, until expiry: Date, now: Date) async throws -> Bool
}

/// Nonces in the memory of this process. A nonce takes some 50 bytes, whatever its length.
///
/// If it is full of nonces that have not expired, others are refused: to forget one would be to accept it again.
public final class MemoryNonceStore: NonceStore {
  private let state: Locked<NonceMemory>

  /// - Parameter capacity: The most nonces that are remembered at once: as many as signatures are verified within the
  ///   time for which one is valid.
  public init(capacity: Int = 100_000) { state = Locked(NonceMemory(capacity: capacity)) }

  /// The number of nonces that are remembered, also of those that have expired and were not removed yet.
  public var count: Int { state.withLock { $0.count } }

  /// - Throws: `SignatureError.nonceStoreFull`.
  public func take(
    _ nonce: String, keyID: String?, until expiry: Date, now: Date
  ) throws(SignatureError) -> Bool {
    let key = NonceMemory.key(nonce, keyID)
    return try state.withLock { state throws(SignatureError) in try state.take(key, until: expiry, now: now) }
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
  /// The earliest of the instants at which one expires, or an earlier one.
  private var earliest = Date.distantFuture

  init(capacity: Int) { self.capacity = max(1, capacity) }

  var count: Int { expiries.count }

  static func key(_ nonce: String, _ keyID: String?) -> Key {
    var hasher = DigestHasher(.sha256)
    // The length keeps the two apart.
    hasher.update(Data("\(keyID.map { "\($0.utf8.count) \($0)" } ?? "-") \(nonce)".utf8))
    let digest = hasher.finalize()
    func word(_ bytes: Data) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    return Key(high: word(digest.prefix(8)), low: word(digest.dropFirst(8).prefix(8)))
  }

  mutating func take(_ key: Key, until expiry: Date, now: Date) throws(SignatureError) -> Bool {
    if let known = expiries[key], known > now { return false }
    if expiries.count >= capacity, earliest <= now { removeExpired(now) }
    guard expiries.count < capacity || expiries[key] != nil else {
      throw SignatureError(
        .nonceStoreFull,
        "the store of nonces is full of \(capacity) that have not expired; give it a larger capacity, or let signatures "
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
