/// Collects the progress of one call and reports it to listeners.
///
/// It calls listeners on the transport's thread, possibly on several threads at once. So a report may be older
/// than the previous one.
final class ProgressHub: Sendable {
  typealias Listener = @Sendable (TransferProgress) -> Void
  typealias ListenerID = Slab<Listening>.Token

  /// A structure around a listener, because a function that is stored directly would be wrapped at each read.
  struct Listening: Sendable {
    fileprivate let tell: Listener
  }

  private struct State {
    var tracker = ProgressTracker()
    var listeners = Slab<Listening>()
  }

  private let state = Locked(State())
  private let delivery: ProgressDelivery?

  /// - Parameter handler: The application's handler. A separate task calls it, one call at a time.
  init(_ handler: ProgressHandler? = nil) { delivery = handler.map(ProgressDelivery.init) }

  var current: TransferProgress { state.withLock { $0.tracker.current } }

  /// Calls `listener` on every change from now on. If an attempt has begun, also calls it at once with the
  /// current progress.
  @discardableResult
  func listen(_ listener: @escaping Listener) -> ListenerID {
    let (id, current) = state.withLock {
      ($0.listeners.insert(Listening(tell: listener)), $0.tracker.current)
    }
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
  /// Takes over the progress of another call.
  func follow(_ progress: TransferProgress) { report { $0.follow(progress) } }

  /// Returns when the application's handler has been called for everything reported so far.
  func flush() async { await delivery?.flush() }

  private func report(_ change: (inout ProgressTracker) -> Bool) {
    // There is nearly always one listener, which needs no array.
    let told: (TransferProgress, only: Listening?, all: [Listening])? = state.withLock { state in
      guard change(&state.tracker) else { return nil }
      let only = state.listeners.only
      return (state.tracker.current, only, only == nil ? state.listeners.values : [])
    }
    guard let (current, only, all) = told else { return }
    delivery?.post(current)
    only?.tell(current)
    for listener in all { listener.tell(current) }
  }
}

/// Calls the application's progress handler in a separate task, one call at a time.
final class ProgressDelivery: Sendable {
  private struct State {
    var mailbox = ProgressMailbox()
    var delivery: Task<Void, Never>?
  }

  private let handler: ProgressHandler
  private let state = Locked(State())

  init(_ handler: @escaping ProgressHandler) { self.handler = handler }

  func post(_ progress: TransferProgress) {
    state.withLock { state in
      guard state.mailbox.post(progress) else { return }
      // Each delivery waits for the previous one, which is about to end.
      state.delivery = Task { [previous = state.delivery] in
        await previous?.value
        while let next = self.state.withLock({ $0.mailbox.next() }) { self.handler(next) }
      }
    }
  }

  /// Returns when everything posted so far has been delivered.
  func flush() async {
    await state.withLock { $0.delivery }?.value
  }
}

/// The reports that one listener has not received yet: of each attempt, the first report and the newest one.
struct ProgressMailbox: Sendable {
  private var waiting: [TransferProgress] = []
  private var newest = TransferProgress(attempt: 0)
  private var newestIsBeginning = false
  private var isDelivering = false

  init() {}

  /// Adds a report, which may be older than a previous one. Returns true if a delivery must be started.
  mutating func post(_ progress: TransferProgress) -> Bool {
    let word = newest.merged(with: progress)
    guard word != newest else { return false }
    let isBeginning = word.attempt != newest.attempt
    if isBeginning || newestIsBeginning || waiting.isEmpty {
      waiting.append(word)
    } else {
      waiting[waiting.count - 1] = word
    }
    newest = word
    newestIsBeginning = isBeginning
    defer { isDelivering = true }
    return !isDelivering
  }

  /// Returns the next report to deliver; nil ends the delivery.
  mutating func next() -> TransferProgress? {
    if waiting.isEmpty {
      isDelivering = false
      return nil
    }
    return waiting.removeFirst()
  }
}
