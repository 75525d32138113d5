import ErrandCore
import ErrandOutbox

/// Counts how requests ended.
final class OutboxTally: Sendable {
  private static let names = ["delivered", "set-aside", "expired", "dropped"]

  private let state = Locked<[String: Int]>([:])

  init() {}

  /// By the name of the state that they ended in.
  var counts: [String: Int] { state.withLock { $0 } }

  func add(_ event: OutboxEvent) {
    guard let outcome = event.outcome else { return }
    let name =
      switch outcome {
      case .delivered: "delivered"
      case .setAside: "set-aside"
      case .expired: "expired"
      case .dropped: "dropped"
      }
    state.withLock { $0[name, default: 0] += 1 }
  }

  var exitCode: ExitCode {
    let counts = counts
    if counts["set-aside", default: 0] > 0 { return .setAside }
    return counts["expired", default: 0] + counts["dropped", default: 0] > 0 ? .expired : .success
  }

  static func text(_ counts: [String: Int]) -> String {
    let parts = names.compactMap { name in counts[name].map { "\($0) \(name)" } }
    return parts.isEmpty ? "nothing was delivered" : parts.joined(separator: ", ")
  }
}
