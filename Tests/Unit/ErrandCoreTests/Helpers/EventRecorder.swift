import Synchronization

@testable import ErrandCore

/// Records the events of each call, and violations of their order.
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

  /// - Parameter onEvent: Called for each event, after it has been recorded.
  init(_ onEvent: @escaping @Sendable (CallEvent) -> Void = { _ in }) { self.onEvent = onEvent }

  var records: [Record] { state.withLock { $0.records } }
  /// The violations: an event under a lock, two concurrent events of one call, or an event after the end.
  var problems: [String] { state.withLock { $0.problems } }
  /// Returns the events of a call, in order; nil selects the first call.
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
      if held > 0 { state.problems.append("\(text) was delivered under a lock") }
      if !state.telling.insert(event.call).inserted {
        state.problems.append("\(text) was delivered while another event was")
      }
      let last = state.records.last { $0.call == event.call }
      if last?.event.isEnd == true { state.problems.append("\(text) was delivered after the end") }
      state.records.append(Record(call: event.call, text: text, event: event))
    }
    onEvent(event)
    state.withLock { _ = $0.telling.remove(event.call) }
  }
}
