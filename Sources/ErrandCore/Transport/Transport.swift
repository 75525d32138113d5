#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Performs attempts over the network. All layers above are the same for every transport. A new transport must
/// pass `TransportConformance` in ErrandConformance.
public protocol Transport: Sendable {
  /// Performs one attempt and returns when the last byte of the response is in the sink.
  ///
  /// A transport
  /// - sends `exchange.request` once and unchanged, and follows no redirect: a 3xx is a response like any
  ///   other;
  /// - fails with `RequestError(.connectionLost)` and a `ResendReason` if the client may send the request
  ///   again at once;
  /// - calls `exchange.sink(for:)` once, with the final head (never a 1xx), and writes the body into that
  ///   sink, as fast as the sink accepts it;
  /// - decodes the content codings of the body, unless `exchange.request.decodesContent` is false;
  /// - sends the trailers of a body (`BodyReader.trailers`), or fails with `RequestError(.unsupported)` before it
  ///   sends anything;
  /// - passes the trailers of the response to `exchange.received(trailers:)`, if it can read them;
  /// - reports the number of bytes that it sent to `exchange`;
  /// - fails with `RequestError(.timedOut)` if no bytes are transferred for `exchange.request.timeout` or, if
  ///   a `connectTimeout` is set, if no connection is made within that time;
  /// - stops at once when the handler of `exchange.onCancel` is called: it closes the socket or resets the
  ///   stream, and throws.
  ///
  /// - Parameter exchange: The attempt to perform.
  /// - Returns: The head of the response and the transport's measurements.
  /// - Throws: `RequestError`, whose `reachedServer` says whether the server may have received the request;
  ///   the error of the sink or of `exchange.sink(for:)`.
  func perform(_ exchange: Exchange) async throws -> TransferResult

  /// True if the transport calls `exchange.requestGoesOut()` before it sends a request. If false, the client
  /// assumes that each request may have reached its server. Default: false.
  var tellsWhenRequestsGoOut: Bool { get }

  /// Closes idle connections and releases the transport's resources. No attempt is performed afterwards.
  func shutdown() async
}

extension Transport {
  /// False: the client assumes that each request may have reached its server.
  public var tellsWhenRequestsGoOut: Bool { false }
}

/// The result of an attempt that got a response.
public struct TransferResult: Sendable {
  /// The status and the header fields of the final response.
  public let head: ResponseHead
  /// The transport's measurements of the attempt.
  public let metrics: TransferMetrics

  /// Creates the result of an attempt.
  /// - Parameters:
  ///   - head: The head that `Exchange.sink(for:)` got.
  ///   - metrics: The measurements. A step that was not measured is nil.
  public init(head: ResponseHead, metrics: TransferMetrics) {
    self.head = head
    self.metrics = metrics
  }
}

/// Receives the body of a response. A transport writes to it from one thread at a time.
public protocol BodySink: AnyObject, Sendable {
  /// Writes bytes of the body.
  /// - Returns: `.wait` if nothing may be written until the handler of `onDrain` is called; otherwise `.more`.
  /// - Throws: An error if the bytes cannot be stored. The attempt then fails with this error.
  func write(_ chunk: Data) throws -> SinkSignal

  /// Sets the handler that the sink calls, on any thread, each time that it has capacity again after a
  /// `.wait`.
  func onDrain(_ handler: @escaping @Sendable () -> Void)
}

/// A sink of the core that counts the bytes that it gets.
protocol CountedSink: BodySink {
  /// The number of bytes so far.
  var received: Int64 { get }
}

/// A sink that holds the bytes until the body is complete. A transport may therefore write the body at once.
package protocol WholeBodySink: BodySink {
  /// The most bytes that the sink holds.
  var limit: Int { get }
}

/// The result of a write to a sink.
public enum SinkSignal: Sendable, Hashable {
  /// The sink accepts further bytes.
  case more
  /// The sink accepts no bytes until it calls the handler of `BodySink.onDrain(_:)`.
  case wait
}

/// Holds the body in memory, up to a limit.
final class MemorySink: WholeBodySink, CountedSink {
  /// The effect of a body that exceeds the limit.
  enum Overflow: Sendable {
    /// The attempt fails: the body is larger than the limit.
    case tooLarge(ResponseHead)
    /// The attempt fails: the response is rejected anyway, and its error needs only the bytes in memory.
    case rejected(RequestError.Rejection, ResponseHead)
    /// The attempt ends: only the head is needed.
    case enough(ResponseHead)
  }

  /// Thrown when the body exceeds the limit and only the head is needed.
  struct HeadIsEnough: Error {
    let head: ResponseHead
  }

  let limit: Int
  private let overflow: Overflow
  private let kept = Locked(Data())

  init(limit: Int, overflow: Overflow) {
    // A limit that comes from an outbox's file may be any number.
    self.limit = max(0, limit)
    self.overflow = overflow
  }

  func write(_ chunk: Data) throws -> SinkSignal {
    let full: Data? = kept.withLock { data in
      if data.count + chunk.count <= limit {
        if data.isEmpty { data = chunk } else { data.append(chunk) }
        return nil
      }
      data.append(chunk.prefix(limit - data.count))
      return data
    }
    guard let full else { return .more }
    switch overflow {
    case .tooLarge(let head): throw Self.tooLarge(limit, head)
    case .rejected(let rejection, let head): throw rejection.error(head.status, head.fields, bodyPrefix: full)
    case .enough(let head): throw HeadIsEnough(head: head)
    }
  }

  static func tooLarge(_ limit: Int, _ head: ResponseHead) -> RequestError {
    RequestError(
      .bodyTooLarge,
      message: "the response is larger than the \(limit) bytes that may be kept in memory; "
        + "raise memoryLimit, or use download(to:) or stream",
      status: head.status, fields: head.fields, reachedServer: true)
  }

  func onDrain(_ handler: @escaping @Sendable () -> Void) {}

  /// The head of a response whose complete body is not needed; nil if the body is needed.
  var head: ResponseHead? {
    switch overflow {
    case .tooLarge: nil
    case .rejected(_, let head), .enough(let head): head
    }
  }

  var received: Int64 { kept.withLock { Int64($0.count) } }

  /// Returns the body, and releases it.
  func take() -> Data {
    kept.withLock { data in
      defer { data = Data() }
      return data
    }
  }
}
