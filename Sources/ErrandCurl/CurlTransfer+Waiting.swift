import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What concerns the one who waits for a transfer: from any thread.
extension CurlTransfer {
  struct Waiting {
    var waiter: UnsafeContinuation<Void, any Error>?
    /// True if the waiter waits for room in the sink.
    var isForRoom = false
    /// True if the sink has said that it has room since it was asked last.
    var hasRoom = false
    var isCancelled = false

    mutating func take() -> UnsafeContinuation<Void, any Error>? {
      defer { (waiter, isForRoom) = (nil, false) }
      return waiter
    }
  }

  var isAwaited: Bool { waiting.withLock { $0.waiter != nil } }

  /// Returns true if somebody waited for it.
  @discardableResult
  func finish(_ result: Result<Void, any Error>) -> Bool {
    let waiter = waiting.withLock { $0.take() }
    waiter?.resume(with: result)
    return waiter != nil
  }

  /// Nobody waits any more. The socket is shut down here and now, for the engine may have much else to do; a connection
  /// that others may share is left to the engine, which resets the stream.
  func cancel() {
    let waiter = waiting.withLock { waiting in
      waiting.isCancelled = true
      return waiting.take()
    }
    // First of all, so that libcurl never gets to see the end of the connection and take it for a stale one.
    engine.cancel(self)
    socket.withLock { socket in
      if let socket { shutdown(socket, Int32(SHUT_RDWR)) }
    }
    waiter?.resume(throwing: CancellationError())
  }

  /// There is room in the sink again, or more of the body to send.
  func wake() { engine.resume(self) }

  // MARK: Room in the sink of a coded body, which may be longer than what is left of the transfer

  /// The sink is about to be written to: what it says from now on counts.
  func sinkIsAsked() { waiting.withLock { $0.hasRoom = false } }

  func sinkHasRoom() {
    let waiter = waiting.withLock { waiting in
      waiting.hasRoom = true
      return waiting.isForRoom ? waiting.take() : nil
    }
    if let waiter { waiter.resume() } else { wake() }
  }

  /// Returns when the sink has room.
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

  /// The last step, by the one who waited: hands on what the engine left, and says what libcurl measured. Once a transfer
  /// has ended, all of it is the waiter's.
  func complete() async throws -> TransferResult {
    // Taking the lock under which the outcome was given is what makes the engine's last word visible here.
    precondition(!isAwaited, "an outcome comes first")
    defer { answer.close() }
    while answer.deliver(of: self), answer.isBehind {
      if waiting.withLock({ $0.isCancelled }) { throw CancellationError() }
      if answer.isSinkFull { try await waitForRoom() } else { await Task.yield() }
      answer.sinkHasDrained()
    }
    guard answer.end(), let head = answer.head else { throw failureOfSink }
    return TransferResult(
      head: head, metrics: TransferMetrics(easy, version: answer.version, firstByte: firstByte))
  }
}
