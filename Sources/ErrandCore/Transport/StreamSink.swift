#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Passes the body to one consumer, and makes the transport wait when `capacity` bytes are buffered.
final class StreamSink: CountedSink {
  private struct State {
    var chunks = ChunkQueue()
    var received: Int64 = 0
    var isFull = false
    /// True once no reader is left, while another sink still gets the body.
    var isAbandoned = false
    var ending: Result<Void, any Error>?
    var isEnding: Bool { ending != nil }
    var end: Result<Void, any Error>?
    var ended: [@Sendable () -> Void] = []
    var waiter: CheckedContinuation<Data?, any Error>?
    var drained: (@Sendable () -> Void)?
  }

  private let capacity: Int
  private let state = Locked(State())

  /// - Parameter capacity: The number of buffered bytes at which the transport must wait. Default: 1 MiB.
  init(capacity: Int = 1 << 20) { self.capacity = capacity }

  func write(_ chunk: Data) -> SinkSignal {
    let (waiter, signal) = state.withLock {
      state -> (CheckedContinuation<Data?, any Error>?, SinkSignal) in
      state.received += Int64(chunk.count)
      if state.isAbandoned { return (nil, .more) }
      if let waiter = state.waiter {
        state.waiter = nil
        return (waiter, .more)
      }
      state.chunks.append(chunk)
      state.isFull = state.chunks.bytes >= capacity
      return (nil, state.isFull ? .wait : .more)
    }
    waiter?.resume(returning: chunk)
    return signal
  }

  var received: Int64 { state.withLock { $0.received } }

  /// The error that the stream ended with; nil before its end, and after success.
  var failure: (any Error)? {
    if case .failure(let error) = state.withLock({ $0.ending }) { error } else { nil }
  }

  func onDrain(_ handler: @escaping @Sendable () -> Void) {
    state.withLock { $0.drained = handler }
  }

  /// Forgets the buffered bytes and those to come, because no reader is left.
  func abandon() {
    let (chunks, drained) = state.withLock { state in
      defer {
        state.chunks = ChunkQueue()
        state.isAbandoned = true
        state.isFull = false
      }
      return (state.chunks, state.isFull ? state.drained : nil)
    }
    // Freed outside the lock.
    withExtendedLifetime(chunks) {}
    drained?()
  }

  /// Calls `handler` when the stream ends, before the consumer sees the end. Calls it at once if the stream
  /// has ended.
  func onEnd(_ handler: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      if !state.isEnding { state.ended.append(handler) }
      return state.isEnding
    }
    if isLate { handler() }
  }

  /// Returns the next chunk; nil at the end. A second consumer that waits at the same time gets an error.
  func next() async throws -> Data? {
    try await withCheckedThrowingContinuation { continuation in
      enum Step {
        case chunk(Data, drained: (@Sendable () -> Void)?)
        case end(Result<Void, any Error>)
        case wait
        case secondConsumer
      }
      let step: Step = state.withLock { state in
        if let chunk = state.chunks.pop() {
          guard state.isFull, state.chunks.bytes < capacity / 2 else { return .chunk(chunk, drained: nil) }
          state.isFull = false
          return .chunk(chunk, drained: state.drained)
        }
        if let end = state.end { return .end(end) }
        guard state.waiter == nil else { return .secondConsumer }
        state.waiter = continuation
        return .wait
      }
      switch step {
      case .chunk(let chunk, let drained):
        continuation.resume(returning: chunk)
        drained?()
      case .end(.success): continuation.resume(returning: nil)
      case .end(.failure(let error)): continuation.resume(throwing: error)
      case .wait: break
      case .secondConsumer:
        continuation.resume(
          throwing: RequestError(
            .invalidRequest, message: "the body stream has a consumer already; read it from one task only",
            reachedServer: true)
        )
      }
    }
  }

  /// Ends the stream. Buffered chunks are delivered first, unless the request was cancelled or its deadline
  /// has passed. Only the first call has an effect.
  func end(_ result: Result<Void, any Error>) {
    let handlers: [@Sendable () -> Void]? = state.withLock { state in
      guard !state.isEnding else { return nil }
      state.ending = result
      defer { state.ended = [] }
      return state.ended
    }
    guard let handlers else { return }
    for handler in handlers { handler() }
    let waiter: CheckedContinuation<Data?, any Error>? = state.withLock { state in
      state.end = result
      if case .failure(let error) = result, error.isCancellation || error.isOfDeadline {
        state.chunks = ChunkQueue()
      }
      defer { state.waiter = nil }
      return state.waiter
    }
    switch result {
    case .success: waiter?.resume(returning: nil)
    case .failure(let error): waiter?.resume(throwing: error)
    }
  }
}

extension Error {
  fileprivate var isOfDeadline: Bool { (self as? RequestError)?.code == .deadlineExceeded }
}

/// A queue of chunks, first in, first out. Pure.
struct ChunkQueue {
  /// The number of empty places from which on the chunks may be moved to the front.
  private static let spare = 64

  private var chunks: [Data] = []
  private var first = 0
  private(set) var bytes = 0

  /// The number of places, including the empty ones of removed chunks.
  var places: Int { chunks.count }

  mutating func append(_ chunk: Data) {
    chunks.append(chunk)
    bytes += chunk.count
  }

  mutating func pop() -> Data? {
    guard first < chunks.count else { return nil }
    let chunk = chunks[first]
    chunks[first] = Data()
    first += 1
    bytes -= chunk.count
    if first == chunks.count {
      chunks.removeAll(keepingCapacity: true)
      first = 0
    } else if first >= Self.spare, first * 2 >= chunks.count {
      // With a consumer that is always one chunk behind, the queue never becomes empty. On average, each
      // chunk is moved at most once.
      chunks.removeFirst(first)
      first = 0
    }
    return chunk
  }
}
