import ErrandCore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// URLSession's reports, on the delegate's queue.
extension SessionTransfer {
  /// Handles the head. Returns false if the response is refused.
  func receive(_ response: URLResponse) -> Bool {
    guard didMove() else { return false }
    guard let response = response as? HTTPURLResponse else {
      fail(exchange.error(.invalidResponse, "the server did not send an HTTP response", reachedServer: true))
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
          "the response arrives faster than it is read, and URLSession cannot slow the server down on this platform; read faster, or raise responseBufferLimit",
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
        // `suspend` of FoundationNetworking would drop the connection, and `resume` would send the request again.
        _ = task
      #else
        task?.suspend()
      #endif
    } catch {
      fail(error)
    }
  }

  /// Continues after the sink has drained. It runs on the delegate's queue, so never during a write.
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
      // This balances the `suspend` for the full sink. If a write above filled the sink again, it suspended
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
    let (head, metrics) = state.withLock { state in
      if state.metrics.bytesReceived == 0 { state.metrics.bytesReceived = state.received }
      if let length = exchange.request.upload.length { state.metrics.bytesSent = length }
      return (state.head, state.metrics)
    }
    guard let head else {
      return fail(exchange.error(.invalidResponse, "the server sent no response", reachedServer: true))
    }
    if exchange.wantsUploadProgress, let length = exchange.request.upload.length {
      exchange.didSend(total: length)
    }
    finish(.success(TransferResult(head: head, metrics: metrics)))
  }
}
