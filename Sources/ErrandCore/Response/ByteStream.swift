#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The body of an answer, chunk by chunk, for one consumer. What is not consumed is not read from the network
/// (about 1 MiB is held). Cancelling the consuming task, or letting go of the stream, calls the request off.
public struct ByteStream: AsyncSequence, Sendable {
  public typealias Element = Data

  /// Calls the request off when nobody holds the stream any more.
  final class Source: Sendable {
    let sink: StreamSink
    let signal: StopSignal
    private let finalTiming: FinalTiming

    init(sink: StreamSink, signal: StopSignal, timing: FinalTiming) {
      self.sink = sink
      self.signal = signal
      finalTiming = timing
    }

    deinit { signal.stop(.cancelled(.streamDropped)) }

    var timing: Timing? { finalTiming.value }

    func next() async throws -> Data? {
      try await withTaskCancellationHandler {
        try await sink.next()
      } onCancel: {
        signal.stop(.cancelled(.taskCancelled))
      }
    }
  }

  private let source: Source

  init(_ source: Source) { self.source = source }

  /// A body that is here already.
  init(_ data: Data) {
    let sink = StreamSink()
    if !data.isEmpty { _ = sink.write(data) }
    sink.end(.success(()))
    source = Source(sink: sink, signal: StopSignal(), timing: FinalTiming())
  }

  /// Calls `handler` when no more of it comes, before its consumer hears of that.
  func onEnd(_ handler: @escaping @Sendable () -> Void) { source.sink.onEnd(handler) }

  /// What it is called off with.
  var signal: StopSignal { source.signal }

  /// Calls it off; returns when it is off the wire.
  func drop() async {
    signal.stop(.cancelled(.streamDropped))
    await withCheckedContinuation { continuation in onEnd { continuation.resume() } }
  }

  /// The timing of the whole, once the last chunk is here.
  public var timing: Timing? { source.timing }

  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let source: Source

    public mutating func next() async throws -> Data? { try await source.next() }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: source) }
}
