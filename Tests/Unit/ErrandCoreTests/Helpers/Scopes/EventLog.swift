import ErrandCore

/// A log of events in order, from any thread.
final class EventLog: Sendable {
  private let state = Locked<[String]>([])

  var events: [String] { state.withLock { $0 } }

  func note(_ event: String) { state.withLock { $0.append(event) } }
}
