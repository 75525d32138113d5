import Dispatch

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The body of a response, chunk by chunk, for one consumer. At most about 1 MiB is read from the network
/// before it is consumed. Cancelling the consuming task, or releasing the stream, cancels the request.
public struct ByteStream: AsyncSequence, Sendable {
  /// A piece of the body.
  public typealias Element = Data

  /// Cancels the request when the last reference to the stream is released.
  final class Source: Sendable {
    let sink: StreamSink
    let cancellation: CancellationToken
    fileprivate let end: StreamEnd

    init(sink: StreamSink, cancellation: CancellationToken, end: StreamEnd) {
      self.sink = sink
      self.cancellation = cancellation
      self.end = end
    }

    deinit { cancellation.cancel(.cancelled(.streamDropped)) }

    var timing: Timing? { end.timing }
    var trailers: HTTPFields? { end.trailers }

    func next() async throws -> Data? {
      try await withTaskCancellationHandler {
        try await sink.next()
      } onCancel: {
        cancellation.cancel(.cancelled(.taskCancelled))
      }
    }
  }

  private let source: Source

  init(_ source: Source) { self.source = source }

  /// Creates a stream of a body that is already in memory.
  init(_ data: Data) {
    let sink = StreamSink()
    if !data.isEmpty { _ = sink.write(data) }
    sink.end(.success(()))
    source = Source(sink: sink, cancellation: CancellationToken(), end: StreamEnd())
  }

  /// Creates a stream of a body in the cache.
  init(_ body: CachedBody) {
    if let data = body.inMemory {
      self.init(data)
    } else {
      let cancellation = CancellationToken()
      let pump = StoredBodyPump(body, cancellation)
      self.init(Source(sink: pump.sink, cancellation: cancellation, end: StreamEnd()))
      pump.start()
    }
  }

  /// The stream for those who only wait for its end. It does not keep the request from being cancelled when the consumer
  /// releases the stream.
  var observed: ByteStream {
    ByteStream(Source(sink: source.sink, cancellation: CancellationToken(), end: source.end))
  }

  /// Calls `handler` when the stream ends, before its consumer sees the end.
  package func onEnd(_ handler: @escaping @Sendable () -> Void) { source.sink.onEnd(handler) }

  /// The error with which the stream has ended; nil before the end, and after success.
  var failure: (any Error)? { source.sink.failure }

  /// The token that cancels the stream.
  var cancellation: CancellationToken { source.cancellation }

  /// Cancels the stream. Returns when its request has left the wire.
  package func drop() async {
    cancellation.cancel(.cancelled(.streamDropped))
    await withCheckedContinuation { continuation in onEnd { continuation.resume() } }
  }

  /// The timing of the whole transfer; nil until the last chunk has been read.
  public var timing: Timing? { source.timing }

  /// The trailers: the fields that came after the body, in order (RFC 9110, section 6.5). Empty until the last
  /// chunk has been read, without trailers, and for a body that was in memory. `Response.trailers` describes them.
  public var trailers: HTTPFields { source.trailers ?? [:] }

  /// Reads the chunks one by one.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let source: Source

    public mutating func next() async throws -> Data? { try await source.next() }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: source) }
}

extension Response {
  var isStream: Bool { if case .chunks = body { true } else { false } }

  /// The response for those who only look at it, with the `observed` stream.
  var observed: Response {
    guard case .chunks(let stream) = body else { return self }
    var copy = self
    copy.body = .chunks(stream.observed)
    return copy
  }
}

/// Reads a body in a file piece by piece, as fast as its reader consumes it.
private final class StoredBodyPump: Sendable {
  let sink = StreamSink()
  private let body: CachedBody
  private let cancellation: CancellationToken
  private let queue = DispatchQueue(label: "errand.cache.stream")
  private let offset = Locked<Int64>(0)

  init(_ body: CachedBody, _ cancellation: CancellationToken) {
    self.body = body
    self.cancellation = cancellation
  }

  func start() {
    sink.onDrain { self.read() }
    _ = cancellation.onCancel {
      self.end(.failure(self.cancellation.failure ?? CancellationError()))
    }
    read()
  }

  private func read() {
    queue.async { [self] in
      do {
        while cancellation.cause == nil {
          let start = offset.withLock { $0 }
          guard start < body.count else { return end(.success(())) }
          let piece = try body.piece(at: start)
          offset.withLock { $0 += Int64(piece.count) }
          if sink.write(piece) == .wait { return }
        }
      } catch {
        end(.failure(error))
      }
    }
  }

  private func end(_ result: Result<Void, any Error>) {
    sink.end(result)
    // The handler holds this object.
    sink.onDrain {}
  }
}
