/// The result of a crash course.
package struct CrashReport: Sendable, CustomStringConvertible {
  package let seed: UInt64
  /// The number of requests that a worker reported as stored.
  package var accepted = 0
  /// The number of these that the server has accepted.
  package var delivered = 0
  /// The number of times that the server accepted a request again with the same key, which it can detect.
  package var doubledWithKey = 0
  /// The number of times that the server accepted a request again with another key, which it cannot detect.
  package var doubledWithoutKey = 0
  /// The number of workers that were killed, by place.
  package var kills: [String: Int] = [:]
  /// The number of workers that finished before they reached the place of their kill.
  package var survivors = 0
  /// All other violations.
  package var violations: [String] = []

  package var lost: Int { accepted - delivered }
  package var killCount: Int { kills.values.reduce(0, +) }
  package var isGood: Bool { lost == 0 && doubledWithoutKey == 0 && violations.isEmpty }

  /// The report in one line.
  package var summary: String {
    "seed \(seed): \(killCount) killed, \(accepted) requests accepted, \(lost) lost, \(violations.count) violations"
  }

  package var description: String {
    var lines = [
      "seed \(seed)",
      "killed \(killCount) (\(survivors) more finished before they reached their end)",
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
