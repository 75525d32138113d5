import Synchronization

@testable import ErrandCore

/// Records the events of each call, and what about their coming was wrong.
final class EventRecorder: EventListener {
  struct Record: Sendable {
    let call: UInt64
    let text: String
    let event: CallEvent
  }

  private struct State {
    var records: [Record] = []
    var telling: Set<UInt64> = []
    var problems: [String] = []
  }

  private let state = Locked(State())
  private let onEvent: @Sendable (CallEvent) -> Void

  /// - Parameter onEvent: Called for each event, after it was recorded.
  init(_ onEvent: @escaping @Sendable (CallEvent) -> Void = { _ in }) { self.onEvent = onEvent }

  var records: [Record] { state.withLock { $0.records } }
  /// What was wrong: an event under a lock, two of one call at once, or one after the end.
  var problems: [String] { state.withLock { $0.problems } }
  /// What happened to a call, in order; nil for the first call.
  func steps(of call: UInt64? = nil) -> [String] {
    let records = records
    return records.filter { $0.call == call ?? records.first?.call }.map(\.text)
  }
  /// The numbers of the calls, in the order of their first events.
  var calls: [UInt64] {
    records.reduce(into: []) { if !$0.contains($1.call) { $0.append($1.call) } }
  }

  func record(_ event: CallEvent) {
    #if ERRAND_LOCK_CHECKS
      let held = HeldLocks.count
    #else
      let held = 0
    #endif
    let text = "\(event.kind)"
    state.withLock { state in
      if held > 0 { state.problems.append("\(text) came under a lock") }
      if !state.telling.insert(event.call).inserted { state.problems.append("\(text) came beside another") }
      let last = state.records.last { $0.call == event.call }
      if last?.event.isEnd == true { state.problems.append("\(text) came after the end") }
      state.records.append(Record(call: event.call, text: text, event: event))
    }
    onEvent(event)
    state.withLock { _ = $0.telling.remove(event.call) }
  }
}
