/// How long each step took and what went over the wire. The steps are those of the last transfer (of the last
/// try, after its redirects); `queue`, `total` and
/// `tries` are of the whole call. A step that did not happen, or that the transport cannot measure, is nil.
public struct Timing: Sendable, Hashable {
  /// From the call until its last try began: waiting its turn, and between tries.
  public var queue: Duration = .zero
  /// Looking up the host.
  public var dns: Duration?
  /// Connecting, after the look-up.
  public var connect: Duration?
  /// The TLS handshake, after connecting.
  public var tls: Duration?
  /// From the last try's beginning until the first byte of its answer.
  public var firstByte: Duration?
  /// From the call until the answer was complete.
  public var total: Duration = .zero
  /// Bytes of the request's body, as they went over the wire.
  public var bytesSent: Int64 = 0
  /// Bytes of the answer's body, as they came over the wire.
  public var bytesReceived: Int64 = 0
  public var httpVersion: HTTPVersion?
  public var connectionReused: Bool?
  /// How many tries it took.
  public var tries = 1
  /// How many redirects the last try followed.
  public var redirects = 0

  public init() {}

  init(
    _ metrics: TransferMetrics, queue: Duration, total: Duration, tries: Int, redirects: Int
  ) {
    self.queue = queue
    self.total = total
    self.tries = tries
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
