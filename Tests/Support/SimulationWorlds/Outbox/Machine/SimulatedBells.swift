import ErrandCore
import ErrandOutbox
import ErrandOutboxSQLite
import ErrandTesting

/// Notifies the processes of a machine of each other's changes. Notifications arrive a little later, and
/// several may be merged into one.
final class SimulatedBells: Sendable {
  private struct Listener {
    let process: SimulatedProcess
    let handler: @Sendable () -> Void
    var isRinging = false
  }

  private struct State {
    var listeners: [String: Listener] = [:]
    var random: SeededRandom
  }

  private let clock: VirtualClock
  private let state: Locked<State>

  init(_ clock: VirtualClock, _ random: SeededRandom) {
    self.clock = clock
    state = Locked(State(random: random))
  }

  func ring(from process: SimulatedProcess) {
    let rings: [(listener: Listener, delay: Duration)] = state.withLock { state in
      let others = state.listeners.keys.filter { $0 != process.name }.sorted()
      return others.compactMap { name in
        guard let listener = state.listeners[name], !listener.isRinging else { return nil }
        state.listeners[name]?.isRinging = true
        return (listener, state.random.milliseconds(0...5))
      }
    }
    for (listener, delay) in rings {
      Task {
        try? await clock.sleep(for: delay)
        try? await listener.process.run()
        state.withLock { $0.listeners[listener.process.name]?.isRinging = false }
        if !listener.process.isGone { listener.handler() }
      }
    }
  }

  func listen(_ process: SimulatedProcess, _ handler: @escaping @Sendable () -> Void) {
    state.withLock { $0.listeners[process.name] = Listener(process: process, handler: handler) }
  }

  func close(_ process: SimulatedProcess) { state.withLock { $0.listeners[process.name] = nil } }
}

/// The change notifier of one process.
struct SimulatedBell: ChangeNotifier {
  let bells: SimulatedBells
  let process: SimulatedProcess
  let defect: OutboxDefect?

  func ring() {
    if defect != .tellsNobody { bells.ring(from: process) }
  }

  func listen(_ handler: @escaping @Sendable () -> Void) { bells.listen(process, handler) }
  func close() { bells.close(process) }
}
