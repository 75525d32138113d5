import ErrandCore

/// Finds the requests that URLSession would silently send differently.
enum Refusal {
  static func reason(
    _ request: Exchange.Request, _ configuration: URLSessionTransportConfiguration
  ) -> String? {
    if request.method == .get || request.method == .head, request.upload.length != 0 {
      return "URLSession sends no body with \(request.method)"
    }
    switch request.httpVersion {
    case .http1 where request.isSecure: return "URLSession cannot be kept to HTTP/1.1 over TLS"
    case .http2 where !request.isSecure: return "URLSession speaks no HTTP/2 without TLS"
    default: break
    }
    #if canImport(FoundationNetworking)
      if !configuration.pinnedPublicKeys.isEmpty {
        return "public keys cannot be pinned with URLSession on Linux; CurlTransport can"
      }
    #endif
    return nil
  }
}
