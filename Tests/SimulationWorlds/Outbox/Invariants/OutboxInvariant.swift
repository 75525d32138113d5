/// Something that holds in every world of an outbox.
struct OutboxInvariant: Sendable {
  /// A sentence.
  let name: String
  /// What speaks against it.
  let violations: @Sendable (OutboxEvidence) -> [String]

  static let all = [
    accepted, bursts, delivered, once, keys, arrivals, lanes, leases, leased, wire, attended, waits, expiry,
    pauses,
    receipts,
    quiet, contents, statistics, store,
  ]
}
