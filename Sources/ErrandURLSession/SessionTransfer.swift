import Dispatch
import ErrandCore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One attempt, as a task of URLSession.
///
/// Only the delegate's queue writes to the sink. The stall watch, cancellations and drained sinks use other threads.
final class SessionTransfer: Sendable {
  struct State {
    var waiter: CheckedContinuation<TransferResult, any Error>?
    /// The outcome, if it arrived before the waiter.
    var early: Result<TransferResult, any Error>?
    var isOver = false
    var task: URLSessionTask?
    var source: UploadSource?
    var queue: OperationQueue?

    var head: ResponseHead?
    var sink: (any BodySink)?
    var isSinkFull = false
    var held: [Data] = []
    var heldBytes = 0
    /// The result of URLSession's task, until the sink has taken all data.
    var end: Result<Void, any Error>?

    var started = ContinuousClock.now
    var lastMove = ContinuousClock.now
    var received: Int64 = 0
    var metrics = TransferMetrics()
  }

  let exchange: Exchange
  let bufferLimit: Int
  let state = Locked(State())

  init(_ exchange: Exchange, bufferLimit: Int) {
    self.exchange = exchange
    self.bufferLimit = bufferLimit
  }

  // MARK: Beginning and end

  func begin(_ continuation: CheckedContinuation<TransferResult, any Error>) {
    let early: Result<TransferResult, any Error>? = state.withLock { state in
      if state.early == nil { state.waiter = continuation }
      return state.early
    }
    if let early { continuation.resume(with: early) } else { watch(after: exchange.request.timeout) }
  }

  func start(_ task: URLSessionTask, _ source: UploadSource, queue: OperationQueue) {
    let isOver = state.withLock { state in
      state.task = task
      state.source = source
      state.queue = queue
      state.lastMove = .now
      return state.isOver
    }
    guard isOver else { return task.resume() }
    // A task that was never resumed must be cancelled, or its session waits for it.
    endTask()
    source.close()
  }

  /// Resumes the waiter with the outcome. Only the first outcome counts, for which this returns true.
  @discardableResult
  func finish(_ result: Result<TransferResult, any Error>) -> Bool {
    let (isFirst, waiter, source) = state.withLock {
      state -> (Bool, CheckedContinuation<TransferResult, any Error>?, UploadSource?) in
      guard !state.isOver else { return (false, nil, nil) }
      state.isOver = true
      state.held = []
      state.sink = nil
      if state.waiter == nil { state.early = result }
      defer {
        state.waiter = nil
        state.source = nil
      }
      return (true, state.waiter, state.source)
    }
    waiter?.resume(with: result)
    source?.close()
    return isFirst
  }

  /// Fails the transfer, and then cancels the task, because the waiter does not have to wait for that.
  func fail(_ error: any Error) {
    if finish(.failure(error)) { endTask() }
  }

  /// Cancels the task on the delegate's queue. FoundationNetworking crashes if a task is cancelled on another
  /// thread while it ends.
  private func endTask() {
    let (task, queue) = state.withLock { ($0.task, $0.queue) }
    queue?.addOperation { task?.cancel() }
  }

  func cancel() { fail(CancellationError()) }

  func shutDown() {
    fail(exchange.error(.connectionLost, "the transport was shut down", reachedServer: true))
  }

  func pinsMismatched(_ message: String) {
    fail(exchange.error(.pinMismatch, message, reachedServer: false))
  }

  // MARK: The stall watch

  /// Records that data moved. Returns false if the transfer has ended.
  @discardableResult
  func didMove() -> Bool {
    state.withLock { state in
      state.lastMove = .now
      return !state.isOver
    }
  }

  private func watch(after wait: Duration) {
    let time = DispatchTime.now() + .milliseconds(wait.wholeMilliseconds + 1)
    DispatchQueue.global().asyncAfter(deadline: time) { [weak self] in self?.look() }
  }

  private func look() {
    let timeout = exchange.request.timeout
    let left: Duration? = state.withLock { state in
      guard !state.isOver else { return nil }
      // If the sink is full, the consumer causes the delay, not the network.
      if state.isSinkFull { state.lastMove = .now }
      return timeout - (ContinuousClock.now - state.lastMove)
    }
    guard let left else { return }
    guard left <= .zero else { return watch(after: left) }
    fail(
      exchange.error(.timedOut, "nothing moved for \(timeout.formattedSeconds)", reachedServer: true))
  }
}
