/// The reason why a request without a response may be sent again at once.
public enum ResendReason: Sendable, Hashable {
  /// The server has certainly not processed the request (RFC 9113, section 8.7). It may be sent again,
  /// whatever its method.
  case unprocessed
  /// A reused connection ended without a byte of a response, and the server's system acknowledged no byte of
  /// the request: most likely the server had closed it. A request that may be repeated is sent again, once.
  case staleConnection
}
