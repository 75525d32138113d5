import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The last events of an outbox, by request. Pure. The oldest are deleted beyond a limit.
struct OutboxHistory: Sendable {
  /// One event, as the page shows it.
  struct Step: Encodable, Equatable, Sendable {
    /// Milliseconds since 1970.
    let date: Double
    let kind: String
    let text: String
  }

  private let limit: Int
  private var steps: [OutboxID: [Step]] = [:]
  /// The requests of the events, oldest first. Those before `first` are removed.
  private var order: [OutboxID] = []
  private var first = 0
  /// The number of stored and of delivered requests since they were last taken.
  private var news = (stored: 0, delivered: 0)

  init(limit: Int = 20_000) { self.limit = limit }

  subscript(id: OutboxID) -> [Step] { steps[id] ?? [] }

  mutating func take(_ event: OutboxEvent) {
    switch event.step {
    case .stored: news.stored += 1
    case .delivered: news.delivered += 1
    default: break
    }
    steps[event.id, default: []].append(Step(event))
    order.append(event.id)
    while order.count - first > limit {
      let id = order[first]
      first += 1
      steps[id]?.removeFirst()
      if steps[id]?.isEmpty == true { steps[id] = nil }
    }
    guard first > limit else { return }
    order.removeFirst(first)
    first = 0
  }

  /// Returns how many requests were stored and delivered since the last call of this method.
  mutating func takeNews() -> (stored: Int, delivered: Int) {
    defer { news = (0, 0) }
    return news
  }
}

extension OutboxHistory.Step {
  init(_ event: OutboxEvent) {
    date = event.date.timeIntervalSince1970 * 1000
    switch event.step {
    case .stored: (kind, text) = ("stored", "stored, to be sent")
    case .attempting(let number): (kind, text) = ("attempting", "attempt \(number) began")
    case .failed(let reason, let next):
      let wait = Duration.seconds(max(0, next.timeIntervalSince(event.date)))
      (kind, text) = ("failed", "failed: \(reason); the next attempt follows after \(wait.formattedShort)")
    case .delivered(let response): (kind, text) = ("delivered", "delivered: \(response.status)")
    case .deadLettered(let reason, _): (kind, text) = ("deadLettered", "moved to the dead letters: \(reason)")
    case .expired: (kind, text) = ("expired", "expired")
    case .dropped(let reason): (kind, text) = ("dropped", "dropped: \(reason)")
    }
  }
}

extension Duration {
  fileprivate var formattedShort: String {
    seconds < 10 ? "\((seconds * 10).rounded() / 10) s" : "\(Int(seconds.rounded())) s"
  }
}
