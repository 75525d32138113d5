/// The reason why a request that got no response may be sent again at once.
public enum ResendReason: Sendable, Hashable {
  /// The server has certainly not processed the request (RFC 9113, section 8.7): it may be sent again, whatever
  /// its method.
  case unprocessed
  /// A connection that was used before ended without a byte of a response, and the server's system acknowledged no byte
  /// of the request: most likely the server had closed it. A request that may be repeated is sent again, once.
  case staleConnection
}
