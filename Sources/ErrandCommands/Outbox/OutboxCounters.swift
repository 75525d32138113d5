import ErrandCore
import ErrandOutbox

/// Counts the requests that ended, by their state.
final class OutboxCounters: Sendable {
  private static let names = ["delivered", "dead-letter", "expired", "dropped"]

  private let state = Locked<[String: Int]>([:])

  init() {}

  /// The counts by the name of the final state.
  var counts: [String: Int] { state.withLock { $0 } }

  func add(_ event: OutboxEvent) {
    guard let outcome = event.outcome else { return }
    let name =
      switch outcome {
      case .delivered: "delivered"
      case .deadLettered: "dead-letter"
      case .expired: "expired"
      case .dropped: "dropped"
      }
    state.withLock { $0[name, default: 0] += 1 }
  }

  var exitCode: ExitCode {
    let counts = counts
    if counts["dead-letter", default: 0] > 0 { return .deadLettered }
    return counts["expired", default: 0] + counts["dropped", default: 0] > 0 ? .expired : .success
  }

  static func text(_ counts: [String: Int]) -> String {
    let parts = names.compactMap { name in counts[name].map { "\($0) \(name)" } }
    return parts.isEmpty ? "nothing was delivered" : parts.joined(separator: ", ")
  }
}
