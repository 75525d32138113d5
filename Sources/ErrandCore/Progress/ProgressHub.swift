/// Where a call's progress is known, and who is told of it. Takes numbers on a transport's thread; its listeners are told
/// there, after each other or at once from several threads, so a word may be older than the one before.
final class ProgressHub: Sendable {
  typealias Listener = @Sendable (TransferProgress) -> Void
  typealias ListenerID = Slab<Listener>.Token

  private struct State {
    var tracker = ProgressTracker()
    var listeners = Slab<Listener>()
  }

  private let state = Locked(State())
  private let delivery: ProgressDelivery?

  /// - Parameter handler: The user's; told in a task of its own, one call at a time.
  init(_ handler: ProgressHandler? = nil) { delivery = handler.map(ProgressDelivery.init) }

  var current: TransferProgress { state.withLock { $0.tracker.current } }

  /// Tells `listener` of every change from now on, and at once how far it is, if it has begun.
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
  /// Follows another call's progress.
  func follow(_ progress: TransferProgress) { report { $0.follow(progress) } }

  /// Returns when the user's handler has been told everything reported so far.
  func flush() async { await delivery?.flush() }

  private func report(_ change: (inout ProgressTracker) -> Bool) {
    // Nearly always there is one listener, so that one needs no array.
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
