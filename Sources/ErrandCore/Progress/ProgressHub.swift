/// Collects the progress of one call and reports it to listeners. The transport calls it on its own thread;
/// listeners are called on that thread, possibly from several threads at once, so a report may be older than
/// the previous one.
final class ProgressHub: Sendable {
  typealias Listener = @Sendable (TransferProgress) -> Void
  typealias ListenerID = Slab<Listener>.Token

  private struct State {
    var tracker = ProgressTracker()
    var listeners = Slab<Listener>()
  }

  private let state = Locked(State())
  private let delivery: ProgressDelivery?

  /// - Parameter handler: The application's handler; called in a task of its own, one call at a time.
  init(_ handler: ProgressHandler? = nil) { delivery = handler.map(ProgressDelivery.init) }

  var current: TransferProgress { state.withLock { $0.tracker.current } }

  /// Calls `listener` on every change from now on, and at once with the current progress if an attempt has
  /// begun.
  @discardableResult
  func listen(_ listener: @escaping Listener) -> ListenerID {
    let (id, current) = state.withLock { ($0.listeners.insert(listener), $0.tracker.current) }
    if current.attempt > 0 { listener(current) }
    return id
  }

  func stopListening(_ id: ListenerID) { state.withLock { _ = $0.listeners.remove(id) } }

  func begin(attempt: Int, sentTotal: Int64?) {
    report { $0.begin(attempt: attempt, sentTotal: sentTotal) }
  }
  func sent(_ bytes: Int64) { report { $0.sent(bytes) } }
  func receiving(from start: Int64, total: Int64?) {
    report { $0.receiving(from: start, total: total) }
  }
  func received(_ count: Int64) { report { $0.received(count) } }
  /// Takes over another call's progress.
  func follow(_ progress: TransferProgress) { report { $0.follow(progress) } }

  /// Returns when the application's handler has been called for everything reported so far.
  func flush() async { await delivery?.flush() }

  private func report(_ change: (inout ProgressTracker) -> Bool) {
    // There is nearly always one listener, which needs no array.
    let told: (TransferProgress, only: Listener?, all: [Listener])? = state.withLock { state in
      guard change(&state.tracker) else { return nil }
      let only = state.listeners.only
      return (state.tracker.current, only, only == nil ? state.listeners.values : [])
    }
    guard let (current, only, all) = told else { return }
    delivery?.post(current)
    only?(current)
    for listener in all { listener(current) }
  }
}
