#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Passes a body on to another sink, and captures its beginning for listeners.
final class CapturingSink: BodySink {
  private let sink: any BodySink
  private let events: CallEvents

  init(_ sink: any BodySink, _ events: CallEvents) {
    self.sink = sink
    self.events = events
    events.captured.withLock { $0 = CapturedBody() }
  }

  func write(_ chunk: Data) throws -> SinkSignal {
    events.captured.withLock { $0.take(chunk, limit: events.client.bodyLimit) }
    return try sink.write(chunk)
  }

  func onDrain(_ handler: @escaping @Sendable () -> Void) { sink.onDrain(handler) }
}
