import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Logs the events of stored requests: as text on standard error, or as JSON on standard output.
final class EventLog: Sendable {
  private let console: Console
  private let isJSON: Bool
  private let failure = Locked<Outlet.Failure?>(nil)

  init(console: Console, isJSON: Bool) {
    self.console = console
    self.isJSON = isJSON
  }

  func write(_ event: OutboxEvent) {
    guard isJSON else { return console.say(Self.line(event)) }
    do {
      try console.output.write(JSONText.text(JSONEvent(event), isPretty: false) + "\n")
    } catch {
      failure.withLock { $0 = error }
    }
  }

  /// Throws if an event could not be written.
  func check() throws(Outlet.Failure) {
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  static func line(_ event: OutboxEvent) -> String {
    let name = event.lane.map { "\(event.id) [\($0)]" } ?? "\(event.id)"
    return "* \(name): \(text(event.step, event.date))"
  }

  private static func text(_ step: OutboxEvent.Step, _ date: Date) -> String {
    switch step {
    case .stored: "stored"
    case .attempting(let count): "attempt \(count)"
    case .failed(let reason, let next): "\(reason); next attempt \(SpanText.until(next, at: date))"
    case .delivered(let response): "delivered: \(response.status)"
    case .deadLettered(let reason, _): "moved to the dead letters: \(reason)"
    case .expired: "expired"
    case .dropped(let reason): "dropped: \(reason)"
    }
  }
}
