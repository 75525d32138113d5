/// An HTTP version.
public enum HTTPVersion: String, Sendable, Hashable, CustomStringConvertible {
  case http10 = "HTTP/1.0"
  case http11 = "HTTP/1.1"
  case http2 = "HTTP/2"
  case http3 = "HTTP/3"

  public var description: String { rawValue }
}

/// The HTTP version that a request asks for.
public enum HTTPVersionPreference: String, Sendable, Hashable {
  /// HTTP/2 where TLS negotiates it, else HTTP/1.1.
  case automatic
  /// HTTP/1.1 only.
  case http1
  /// HTTP/2: negotiated with TLS; over plain http it is assumed without negotiation (prior knowledge).
  case http2
}
