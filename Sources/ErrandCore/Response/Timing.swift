/// How long each step took, and how many bytes were transferred. The steps are those of the last transfer (of
/// the last attempt, after its redirects). `queue`, `total` and `attempts` are those of the whole call. A
/// step that did not happen, or that the transport cannot measure, is nil.
public struct Timing: Sendable, Hashable {
  /// The time from the call until its last attempt began, which was spent waiting for a slot and between
  /// attempts.
  public var queue: Duration = .zero
  /// The duration of the host's DNS look-up.
  public var dns: Duration?
  /// The duration of connecting, after the look-up.
  public var connect: Duration?
  /// The duration of the TLS handshake, after connecting.
  public var tls: Duration?
  /// The time from the beginning of the last attempt to the first byte of its response.
  public var firstByte: Duration?
  /// The time from the call until the response was complete.
  public var total: Duration = .zero
  /// The number of bytes of the request's body on the wire.
  public var bytesSent: Int64 = 0
  /// The number of bytes of the response's body on the wire.
  public var bytesReceived: Int64 = 0
  /// The HTTP version that was used; nil if it is not known.
  public var httpVersion: HTTPVersion?
  /// True if the connection had been used before; nil if that is not known.
  public var connectionReused: Bool?
  /// The number of requests that were sent: the attempts, second attempts beside them (``Request/hedged(after:)-(HedgeDelay)``), and
  /// repetitions within them. `RequestError.attempt` counts only the attempts of the retry policy. 0 for a response that comes
  /// from the HTTP cache.
  public var attempts = 1
  /// The number of redirects that the last attempt followed.
  public var redirects = 0

  /// Creates a timing without measurements.
  public init() {}

  init(
    _ metrics: TransferMetrics, queue: Duration, total: Duration, attempts: Int, redirects: Int
  ) {
    self.queue = queue
    self.total = total
    self.attempts = attempts
    self.redirects = redirects
    dns = metrics.dns
    connect = metrics.connect
    tls = metrics.tls
    firstByte = metrics.firstByte
    bytesSent = metrics.bytesSent
    bytesReceived = metrics.bytesReceived
    httpVersion = metrics.httpVersion
    connectionReused = metrics.connectionReused
  }
}

/// A transport's measurements of one attempt. A duration is nil if the step did not happen (a reused
/// connection has no DNS, connect and TLS), or the transport cannot measure it.
public struct TransferMetrics: Sendable, Hashable {
  /// The duration of the host's DNS look-up.
  public var dns: Duration?
  /// The duration of connecting, after the look-up.
  public var connect: Duration?
  /// The duration of the TLS handshake, after connecting.
  public var tls: Duration?
  /// The time from the attempt's start to the first byte of the response.
  public var firstByte: Duration?
  /// The number of bytes of the request's body on the wire.
  public var bytesSent: Int64 = 0
  /// The number of bytes of the response's body on the wire: the compressed size if it was compressed.
  public var bytesReceived: Int64 = 0
  /// The HTTP version that was used; nil if it is not known.
  public var httpVersion: HTTPVersion?
  /// True if the connection had been used before; nil if that is not known.
  public var connectionReused: Bool?

  /// Creates measurements that are all nil or zero.
  public init() {}

  /// Creates the transport's part of a timing.
  init(_ timing: Timing) {
    dns = timing.dns
    connect = timing.connect
    tls = timing.tls
    firstByte = timing.firstByte
    bytesSent = timing.bytesSent
    bytesReceived = timing.bytesReceived
    httpVersion = timing.httpVersion
    connectionReused = timing.connectionReused
  }
}

/// The timing and the trailers of a stream, which are set after its last chunk.
final class StreamEnd: Sendable {
  private let end = Locked<(timing: Timing?, trailers: HTTPFields?)>((nil, nil))

  init() {}

  func set(_ timing: Timing, _ trailers: HTTPFields?) { end.withLock { $0 = (timing, trailers) } }

  var timing: Timing? { end.withLock { $0.timing } }
  var trailers: HTTPFields? { end.withLock { $0.trailers } }
}
