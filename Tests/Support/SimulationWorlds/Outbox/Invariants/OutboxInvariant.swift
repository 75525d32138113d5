/// A condition that holds in every world of an outbox.
struct OutboxInvariant: Sendable {
  /// A sentence that states the condition.
  let name: String
  /// Returns a description of each violation.
  let violations: @Sendable (OutboxEvidence) -> [String]

  static let all = [
    accepted, bursts, delivered, once, keys, arrivals, lanes, leases, leased, wire, attended, waits, expiry,
    pauses,
    receipts, uploads, pace,
    quiet, contents, statistics, store,
  ]
}
