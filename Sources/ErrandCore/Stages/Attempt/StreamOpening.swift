/// Waits for the head of a response whose body is streamed, while a separate task runs its transfer.
final class StreamOpening: Sendable {
  private enum State {
    case idle
    case waiting(CheckedContinuation<Void, any Error>)
    case opened(StreamSink)
    /// The transfer ended without a stream: it failed, or its body was held in memory.
    case ended(Result<TransferResult, any Error>)
  }

  enum Outcome {
    case opened(StreamSink, ResponseHead)
    case ended(TransferResult)
  }

  private let state = Locked<(State, ResponseHead?)>((.idle, nil))

  init() {}

  /// Accepts the response, whose body goes into a sink.
  func open(_ head: ResponseHead, into sink: StreamSink) {
    resume { state in
      // A transport may accept a response while its transfer is being cancelled. The stream is not delivered
      // then.
      if case .ended = state.0 { return .idle }
      defer { state = (.opened(sink), head) }
      return state.0
    }
  }

  /// Records the end of the transfer, and ends its stream if there is one.
  /// - Parameter naming: Adds the request to the stream's error, because no stage can do that later.
  func end(_ result: Result<TransferResult, any Error>, naming: (any Error) -> any Error) {
    let sink: StreamSink? = state.withLock { state in
      if case .opened(let sink) = state.0 { sink } else { nil }
    }
    if let sink {
      return sink.end(result.map { _ in }.mapError(naming))
    }
    resume { state in
      defer { state.0 = .ended(result) }
      return state.0
    }
  }

  func outcome() async throws -> Outcome {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      let isHere = state.withLock { state in
        guard case .idle = state.0 else { return true }
        state.0 = .waiting(continuation)
        return false
      }
      if isHere { continuation.resume() }
    }
    let (now, head) = state.withLock { $0 }
    switch now {
    case .opened(let sink): return .opened(sink, head!)
    case .ended(let result): return .ended(try result.get())
    case .idle, .waiting: preconditionFailure("resumed before there was an outcome")
    }
  }

  private func resume(_ change: (inout (State, ResponseHead?)) -> State) {
    let before = state.withLock { change(&$0) }
    if case .waiting(let continuation) = before { continuation.resume() }
  }
}
