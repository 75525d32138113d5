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
}
