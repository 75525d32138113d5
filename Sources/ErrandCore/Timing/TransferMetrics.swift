/// What a transport measured of one try. Durations count from the try's start and are nil where there was no such
/// step (a reused connection has no DNS, connect and TLS) or the transport cannot tell.
public struct TransferMetrics: Sendable, Hashable {
  /// Time to look up the host.
  public var dns: Duration?
  /// Time to connect, after the look-up.
  public var connect: Duration?
  /// Time for the TLS handshake, after connecting.
  public var tls: Duration?
  /// Until the first byte of the answer.
  public var firstByte: Duration?
  /// Bytes of the body that went out, as sent.
  public var bytesSent: Int64 = 0
  /// Bytes of the body that came in, as received: compressed, if it was.
  public var bytesReceived: Int64 = 0
  /// The version that was spoken.
  public var httpVersion: HTTPVersion?
  /// True if the connection had been used before.
  public var connectionReused: Bool?

  public init() {}
}
