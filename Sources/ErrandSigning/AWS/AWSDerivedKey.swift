import ErrandCore

/// The key that is derived from a secret access key for one day, region and service. The newest is kept, so
/// that a signature computes one HMAC instead of five.
final class AWSDerivedKey: Sendable {
  struct Use: Sendable, Hashable {
    let day: String
    let region: String
    let service: String
  }

  private let last = Locked<(use: Use, key: SecretBytes)?>(nil)

  func key(_ use: Use, _ derive: () -> SecretBytes) -> SecretBytes {
    if let known = last.withLock({ $0 }), known.use == use { return known.key }
    let key = derive()
    last.withLock { $0 = (use, key) }
    return key
  }
}
