// Stands in for swift-nio-ssl 2.29: the declarations that the integrations use.

public enum BoringSSLError: Error {
  case sslError([String])
}

public enum NIOSSLError: Error {
  case handshakeFailed(BoringSSLError)
  case uncleanShutdown
}
