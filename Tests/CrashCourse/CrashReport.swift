/// What came of a crash course.
package struct CrashReport: Sendable, CustomStringConvertible {
  package let seed: UInt64
  /// Requests of which a worker said that they are stored.
  package var accepted = 0
  /// Those of them that the server has taken.
  package var delivered = 0
  /// How often the server took one again, with the same key: it can tell.
  package var doubledWithKey = 0
  /// How often it took one again with another key: it cannot tell.
  package var doubledWithoutKey = 0
  /// How many workers were killed, by where they were.
  package var kills: [String: Int] = [:]
  /// Workers that ended by themselves, before they came to where they were to be killed.
  package var survivors = 0
  /// Whatever else is not as promised.
  package var violations: [String] = []

  package var lost: Int { accepted - delivered }
  package var killCount: Int { kills.values.reduce(0, +) }
  package var isGood: Bool { lost == 0 && doubledWithoutKey == 0 && violations.isEmpty }

  /// In one line.
  package var summary: String {
    "seed \(seed): \(killCount) killed, \(accepted) requests accepted, \(lost) lost, \(violations.count) violations"
  }

  package var description: String {
    var lines = [
      "seed \(seed)",
      "killed \(killCount) (\(survivors) more were done before they came to their end)",
      "accepted \(accepted)",
      "delivered \(delivered)",
      "lost \(lost)",
      "doubled with a key \(doubledWithKey)",
      "doubled without its key \(doubledWithoutKey)",
    ]
    lines += kills.sorted { $0.key < $1.key }.map { "  killed \($0.value) times at \($0.key)" }
    lines += violations.map { "VIOLATION: \($0)" }
    return lines.joined(separator: "\n")
  }
}
