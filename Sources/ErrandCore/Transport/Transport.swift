#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Moves one attempt over the network. All layers above are the same for every transport; a new one must pass
/// `TransportConformance` in ErrandConformance.
public protocol Transport: Sendable {
  /// Performs one attempt and returns when the last byte of the response is in the sink.
  ///
  /// A transport
  /// - sends `exchange.request` as it is, once, and follows no redirect: a 3xx is a response like any other;
  /// - fails with `RequestError(.connectionLost)` and a `ResendReason` where the client may send the request again at once;
  /// - calls `exchange.sink(for:)` once, with the final head (no 1xx), and writes the body, decompressed
  ///   (unless `exchange.request.decodesContent` is false), into the sink that it gets, as fast as the sink accepts it;
  /// - reports the bytes that it sent to `exchange`;
  /// - fails with `RequestError(.timedOut)` when no bytes moved for `exchange.request.timeout`; and, if there is a
  ///   `connectTimeout`, when there is no connection after that;
  /// - stops at once when the handler of `exchange.onCancel` is called: closes the socket or resets the
  ///   stream, and throws.
  ///
  /// - Throws: `RequestError`, whose `reachedServer` says whether the server may have received the request.
  func perform(_ exchange: Exchange) async throws -> TransferResult

  /// True if the transport calls `exchange.requestGoesOut()` before it sends a request. Otherwise each request that it was
  /// given may have reached its server. Default: false.
  var tellsWhenRequestsGoOut: Bool { get }

  /// Closes idle connections and releases the transport's resources. No attempt is performed afterwards.
  func shutdown() async
}

extension Transport {
  public var tellsWhenRequestsGoOut: Bool { false }
}

/// The result of an attempt that got a response.
public struct TransferResult: Sendable {
  public let head: ResponseHead
  public let metrics: TransferMetrics

  public init(head: ResponseHead, metrics: TransferMetrics) {
    self.head = head
    self.metrics = metrics
  }
}

/// Chooses the sink for the body when the head of a response has arrived.
protocol HeadReceiver: Sendable {
  func sink(for head: ResponseHead) throws -> any BodySink
  /// Records that bytes of the request may be sent from now on.
  func goesOut()
  /// Nil if nothing listens.
  var events: ExchangeEvents? { get }
}

extension HeadReceiver {
  func goesOut() {}
  var events: ExchangeEvents? { nil }
}

/// Receives the body of a response. A transport writes to it from one thread at a time.
public protocol BodySink: AnyObject, Sendable {
  /// Writes bytes. After `.wait` nothing may be written until the handler of `onDrain` is called.
  /// - Throws: An error if the bytes cannot be stored. The attempt then fails with it.
  func write(_ chunk: Data) throws -> SinkSignal

  /// Sets the handler that is called, on any thread, each time there is capacity again after a `.wait`.
  func onDrain(_ handler: @escaping @Sendable () -> Void)
}

/// A sink of the core's, which counts the bytes that it gets.
protocol CountedSink: BodySink {
  var received: Int64 { get }
}

/// A sink that keeps what it gets until the body is whole, so that it need not get it bit by bit.
package protocol WholeBodySink: BodySink {
  /// The most bytes that it keeps.
  var limit: Int { get }
}

/// A sink's response to a write: `more` accepts further bytes, `wait` asks for a pause until `onDrain`.
public enum SinkSignal: Sendable, Hashable {
  case more
  case wait
}
