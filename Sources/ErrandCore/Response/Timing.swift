/// How long each step took and how many bytes were transferred. The steps are those of the last transfer (of
/// the last attempt, after its redirects); `queue`, `total` and `attempts` are those of the whole call. A
/// step that did not happen, or that the transport cannot measure, is nil.
public struct Timing: Sendable, Hashable {
  /// The time from the call until its last attempt began: waiting for a slot, and between attempts.
  public var queue: Duration = .zero
  /// The time of the host's DNS look-up.
  public var dns: Duration?
  /// The time to connect, after the look-up.
  public var connect: Duration?
  /// The time of the TLS handshake, after connecting.
  public var tls: Duration?
  /// The time from the beginning of the last attempt to the first byte of its response.
  public var firstByte: Duration?
  /// The time from the call until the response was complete.
  public var total: Duration = .zero
  /// The bytes of the request's body on the wire.
  public var bytesSent: Int64 = 0
  /// The bytes of the response's body on the wire.
  public var bytesReceived: Int64 = 0
  public var httpVersion: HTTPVersion?
  public var connectionReused: Bool?
  /// The number of requests that went out: the attempts, with what was sent once more within them.
  public var attempts = 1
  /// The number of redirects that the last attempt followed.
  public var redirects = 0

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

/// A transport's measurements of one attempt. Durations are nil where there was no such step (a reused
/// connection has no DNS, connect and TLS) or the transport cannot measure it.
public struct TransferMetrics: Sendable, Hashable {
  /// The time of the host's DNS look-up.
  public var dns: Duration?
  /// The time to connect, after the look-up.
  public var connect: Duration?
  /// The time of the TLS handshake, after connecting.
  public var tls: Duration?
  /// The time from the attempt's start to the first byte of the response.
  public var firstByte: Duration?
  /// The bytes of the request's body on the wire.
  public var bytesSent: Int64 = 0
  /// The bytes of the response's body on the wire: compressed, if it was.
  public var bytesReceived: Int64 = 0
  /// The HTTP version that was used.
  public var httpVersion: HTTPVersion?
  /// True if the connection had been used before.
  public var connectionReused: Bool?

  public init() {}

  /// Returns the transport's part of a timing.
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

/// The timing of a stream, which is set after its last chunk.
final class FinalTiming: Sendable {
  private let timing = Locked<Timing?>(nil)

  init() {}

  var value: Timing? {
    get { timing.withLock { $0 } }
    set { timing.withLock { $0 = newValue } }
  }
}
