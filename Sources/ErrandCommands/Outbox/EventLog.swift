import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes down what happens to stored requests: for people on standard error, for programs on standard output.
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

  /// Throws if something could not be written.
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
    case .trying(let count): "try \(count)"
    case .failed(let reason, let next): "\(reason); next try \(SpanText.until(next, at: date))"
    case .delivered(let answer): "delivered: \(answer.status)"
    case .setAside(let reason, _): "set aside: \(reason)"
    case .expired: "expired"
    case .dropped(let reason): "dropped: \(reason)"
    }
  }
}
