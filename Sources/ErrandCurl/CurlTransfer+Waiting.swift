import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The waiter's side of a transfer, on any thread.
extension CurlTransfer {
  struct Waiting {
    var waiter: UnsafeContinuation<Void, any Error>?
    /// True if the waiter waits for the sink to drain.
    var isForRoom = false
    /// True if the sink has drained since it was last written to.
    var hasRoom = false
    var isCancelled = false

    mutating func take() -> UnsafeContinuation<Void, any Error>? {
      defer { (waiter, isForRoom) = (nil, false) }
      return waiter
    }
  }

  var isAwaited: Bool { waiting.withLock { $0.waiter != nil } }

  /// Resumes the waiter. Returns false if the transfer has no waiter.
  @discardableResult
  func finish(_ result: Result<Void, any Error>) -> Bool {
    let waiter = waiting.withLock { $0.take() }
    waiter?.resume(with: result)
    return waiter != nil
  }

  /// Cancels the transfer. The engine closes its connection and resumes the waiter. The caller does not make
  /// these system calls, so it can cancel many transfers quickly.
  func cancel() {
    waiting.withLock { $0.isCancelled = true }
    if !engine.cancel(self) { finish(.failure(CancellationError())) }
  }

  /// Shuts the socket down, on the engine's thread. libcurl handles a connection that may be shared, and
  /// resets the stream.
  func shutDown() {
    if index >= 0, let socket { shutdown(socket, Int32(SHUT_RDWR)) }
  }

  /// Makes the engine resume the transfer: the sink has drained, or the body to send has more.
  func wake() { engine.resume(self) }

  // MARK: Draining the sink of a coded body, whose decoding may outlast the transfer

  /// Records that the sink is about to be written to. Only a drain after this counts.
  func sinkIsAsked() { waiting.withLock { $0.hasRoom = false } }

  func sinkHasRoom() {
    let waiter = waiting.withLock { waiting in
      waiting.hasRoom = true
      return waiting.isForRoom ? waiting.take() : nil
    }
    if let waiter { waiter.resume() } else { wake() }
  }

  /// Returns when the sink has drained.
  private func waitForRoom() async throws {
    try await withUnsafeThrowingContinuation { continuation in
      let now: Result<Void, any Error>? = waiting.withLock { waiting in
        if waiting.isCancelled { return .failure(CancellationError()) }
        if waiting.hasRoom { return .success(()) }
        (waiting.waiter, waiting.isForRoom) = (continuation, true)
        return nil
      }
      if let now { continuation.resume(with: now) }
    }
  }

  // MARK: The end

  /// Finishes a transfer on the waiter's task: delivers the data that the engine left, and returns libcurl's
  /// metrics. After its end, only the waiter uses a transfer.
  func complete() async throws -> TransferResult {
    // The outcome was set under this lock. Taking the lock makes the engine's last writes visible here.
    let (isAwaited, isCancelled) = waiting.withLock { ($0.waiter != nil, $0.isCancelled) }
    precondition(!isAwaited, "an outcome comes first")
    defer { response.close() }
    // The response arrived before the engine processed the cancellation.
    if isCancelled { throw CancellationError() }
    while response.deliver(of: self), response.isBehind {
      if waiting.withLock({ $0.isCancelled }) { throw CancellationError() }
      if response.isSinkFull { try await waitForRoom() } else { await Task.yield() }
      response.sinkHasDrained()
    }
    guard response.end(), let head = response.head else { throw failureOfSink }
    if let trailers = response.trailers { exchange.received(trailers: trailers) }
    return TransferResult(
      head: head, metrics: TransferMetrics(easy, version: response.version, firstByte: firstByte))
  }
}
