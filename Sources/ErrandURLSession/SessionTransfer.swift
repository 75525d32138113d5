import Dispatch
import ErrandCore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One attempt, as a task of URLSession's.
///
/// Only the delegate's queue writes to the sink; the stall watch, cancellations and drained sinks come from
/// other threads.
final class SessionTransfer: Sendable {
  private struct State {
    var waiter: CheckedContinuation<TransferResult, any Error>?
    /// The outcome, if it arrived before there was a waiter.
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
    /// The result of URLSession's task, while the sink is not done.
    var end: Result<Void, any Error>?

    var started = ContinuousClock.now
    var lastMove = ContinuousClock.now
    var received: Int64 = 0
    var metrics = TransferMetrics()
  }

  let exchange: Exchange
  private let bufferLimit: Int
  private let state = Locked(State())

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

  /// Gives the outcome to the waiter. Only the first outcome counts; returns true for that.
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

  /// Fails the transfer, and cancels the task afterwards, because the waiter need not wait for that.
  private func fail(_ error: any Error) {
    if finish(.failure(error)) { endTask() }
  }

  /// Cancels the task on the delegate's queue: FoundationNetworking crashes if a task is cancelled on another
  /// thread just as it ends by itself.
  private func endTask() {
    let (task, queue) = state.withLock { ($0.task, $0.queue) }
    queue?.addOperation { task?.cancel() }
  }

  func cancel() { fail(CancellationError()) }

  func shutDown() {
    fail(exchange.error(.connectionLost, "the transport was shut down", reachedServer: true))
  }

  func pinsMismatched() {
    fail(
      exchange.error(
        .pinMismatch, "the server's public key is none of those that were pinned", reachedServer: false))
  }

  // MARK: The stall watch

  /// Notes that data moved. Returns false if the transfer is over.
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
      // A full sink is the consumer's delay, not the network's.
      if state.isSinkFull { state.lastMove = .now }
      return timeout - (ContinuousClock.now - state.lastMove)
    }
    guard let left else { return }
    guard left <= .zero else { return watch(after: left) }
    fail(
      exchange.error(.timedOut, "nothing moved for \(timeout.formattedSeconds)", reachedServer: true))
  }

  // MARK: On the delegate's queue

  /// Takes the head. Returns false if the response is refused.
  func receive(_ response: URLResponse) -> Bool {
    guard didMove() else { return false }
    guard let response = response as? HTTPURLResponse else {
      fail(exchange.error(.invalidResponse, "what came is no HTTP response", reachedServer: true))
      return false
    }
    let head = ResponseHead(response)
    do {
      let sink = try exchange.sink(for: head)
      state.withLock { state in
        state.head = head
        state.sink = sink
        state.metrics.firstByte = .now - state.started
      }
      sink.onDrain { [weak self] in
        guard let self else { return }
        state.withLock { $0.queue }?.addOperation { self.drained() }
      }
      return true
    } catch {
      fail(error)
      return false
    }
  }

  func receive(_ data: Data) {
    let (sink, isFull, tooMuch) = state.withLock { state -> ((any BodySink)?, Bool, Bool) in
      state.lastMove = .now
      state.received += Int64(data.count)
      guard state.isSinkFull, !state.isOver else { return (state.sink, false, false) }
      state.held.append(data)
      state.heldBytes += data.count
      return (state.sink, true, state.heldBytes > bufferLimit)
    }
    if tooMuch {
      return fail(
        exchange.error(
          .unsupported,
          "the response comes faster than it is taken, and URLSession cannot make the server wait on this platform",
          reachedServer: true))
    }
    if let sink, !isFull { write(data, sink) }
  }

  private func write(_ data: Data, _ sink: any BodySink) {
    do {
      guard try sink.write(data) == .wait else { return }
      let task = state.withLock { state in
        state.isSinkFull = true
        return state.task
      }
      #if canImport(FoundationNetworking)
        // `suspend` of FoundationNetworking would drop the connection and, on `resume`, send the request
        // again.
        _ = task
      #else
        task?.suspend()
      #endif
    } catch {
      fail(error)
    }
  }

  /// Goes on after the sink has drained. Runs on the delegate's queue, so never in the middle of a write.
  private func drained() {
    let wasFull = state.withLock { state in
      defer { state.isSinkFull = false }
      return state.isSinkFull
    }
    guard wasFull else { return }
    while true {
      let next: (Data, any BodySink)? = state.withLock { state in
        guard !state.isSinkFull, let sink = state.sink, !state.held.isEmpty else { return nil }
        let data = state.held.removeFirst()
        state.heldBytes -= data.count
        return (data, sink)
      }
      guard let (data, sink) = next else { break }
      write(data, sink)
    }
    didMove()
    #if !canImport(FoundationNetworking)
      // This resumes after the `suspend` for the full sink; if a write above filled it again, that suspended
      // once more.
      state.withLock { $0.task }?.resume()
    #endif
    let end = state.withLock { $0.isSinkFull || !$0.held.isEmpty ? nil : $0.end }
    if let end { conclude(end) }
  }

  func didSend(_ total: Int64) {
    state.withLock { state in
      state.lastMove = .now
      state.metrics.bytesSent = max(state.metrics.bytesSent, total)
    }
    exchange.didSend(total: total)
  }

  func takeBodyStream() -> InputStream? { state.withLock { $0.source }?.takeStream() }

  #if canImport(Darwin)
    func receive(_ metrics: URLSessionTaskMetrics) {
      let received = TransferMetrics(metrics)
      state.withLock { $0.metrics = received }
    }
  #endif

  func complete(_ error: (any Error)?) {
    if let failure = state.withLock({ $0.source })?.failure { return fail(failure) }
    if let error { return fail(SessionFailure(error, exchange).error) }
    let isEmpty = state.withLock { state in
      state.end = .success(())
      return !state.isSinkFull && state.held.isEmpty
    }
    if isEmpty { conclude(.success(())) }
  }

  private func conclude(_ end: Result<Void, any Error>) {
    let (head, metrics, received) = state.withLock { state in
      if state.metrics.bytesReceived == 0 { state.metrics.bytesReceived = state.received }
      if let length = exchange.request.upload.length { state.metrics.bytesSent = length }
      return (state.head, state.metrics, state.received)
    }
    guard let head else {
      return fail(exchange.error(.invalidResponse, "the server sent no response", reachedServer: true))
    }
    if let length = head.contentLength, received < length, head.hasBody(for: exchange.request.method) {
      return fail(
        exchange.error(
          .connectionLost,
          "the connection ended in the middle of the response, after \(received) of \(length) bytes",
          reachedServer: true))
    }
    if exchange.wantsUploadProgress, let length = exchange.request.upload.length {
      exchange.didSend(total: length)
    }
    finish(.success(TransferResult(head: head, metrics: metrics)))
  }
}

extension ResponseHead {
  /// Returns false where `Content-Length` announces a body that is not sent (RFC 9110, section 8.6), or that
  /// URLSession drops.
  fileprivate func hasBody(for method: Method) -> Bool {
    method != .head && status != 204 && status != 304 && !(300..<400 ~= status.code)
  }
}
