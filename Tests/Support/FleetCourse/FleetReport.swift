/// The result of a course.
package struct FleetReport: Sendable, CustomStringConvertible {
  package let seed: UInt64
  package var ledger: FleetLedger
  /// The number of times that each fault happened.
  package var faults: [String: Int] = [:]
  /// The outbox's requests at the end, by state; all must be delivered.
  package var states: [String: Int] = [:]
  package var rolling: RollingRestart.Result?
  /// The number of attempts that were counted and that no receiver saw.
  package var unseenAttempts = 0
  /// The time from the first enqueued request to the last delivered one.
  package var seconds = 0.0
  /// All violations that are not the ledger's.
  package var violations: [String] = []

  package var isGood: Bool { ledger.isGood && violations.isEmpty && (rolling?.isGood ?? true) }

  package var summary: String {
    "seed \(seed): \(ledger.acceptedCount) accepted, \(ledger.delivered) delivered, \(ledger.lost) lost, "
      + "\(ledger.doubledWithoutKey) doubled without key, \(ledger.outOfOrder) out of order"
  }

  package var description: String {
    let rate = seconds > 0 ? Int(Double(ledger.delivered) / seconds) : 0
    var lines = [
      "seed \(seed)",
      "accepted             \(ledger.acceptedCount)",
      "delivered            \(ledger.delivered)  in \(Int(seconds.rounded())) s, \(rate) a second",
      "lost                 \(ledger.lost)",
      "doubled without key  \(ledger.doubledWithoutKey)",
      "out of order         \(ledger.outOfOrder)",
      "doubled with key     \(ledger.doubledWithKey), \(ledger.doubledWithoutReason) without a reason",
      "counted, not seen    \(unseenAttempts)",
    ]
    lines += faults.sorted { $0.key < $1.key }.map { "  \($0.value) \($0.key)" }
    if let rolling { lines.append("\(rolling)") }
    lines += (ledger.violations + violations).map { "VIOLATION: \($0)" }
    if !ledger.missing.isEmpty { lines.append("lost: \(ledger.missing.prefix(20).map { "\($0)" })") }
    return lines.joined(separator: "\n")
  }
}
