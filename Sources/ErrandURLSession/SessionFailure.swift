import ErrandCore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The `RequestError` for an error of URLSession.
struct SessionFailure {
  let error: RequestError

  init(_ underlying: any Error, _ exchange: Exchange) {
    // On Linux, the underlying error has libcurl's message.
    let deeper = (underlying as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
    let text = (deeper ?? underlying as NSError).localizedDescription
    func failure(_ kind: RequestError.Code, _ message: String, reached: Bool = true) -> RequestError {
      exchange.error(kind, message, reachedServer: reached, underlying: Self.withoutURL(underlying, text))
    }
    #if canImport(FoundationNetworking)
      if let (code, message, reached) = Self.sense(text) {
        error = failure(code, "\(message): \(text)", reached: reached)
        return
      }
    #endif
    guard let code = (underlying as? URLError)?.code else {
      error = failure(.connectionLost, "the connection was lost: \(text)")
      return
    }
    error =
      switch code {
      case .cannotFindHost, .dnsLookupFailed:
        failure(
          .cannotResolveHost, "the host \(exchange.request.url.host() ?? "") has no known address",
          reached: false)
      case .cannotConnectToHost, .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff,
        .callIsActive:
        failure(.cannotConnect, "no connection: \(text)", reached: false)
      case .timedOut: failure(.timedOut, "timed out: \(text)")
      case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateNotYetValid,
        .serverCertificateHasUnknownRoot:
        failure(.untrustedCertificate, "the server's certificate is not trusted: \(text)", reached: false)
      case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired:
        failure(.tlsFailed, "TLS failed: \(text)", reached: false)
      case .badServerResponse, .cannotParseResponse:
        failure(.invalidResponse, "the server did not send an HTTP response: \(text)")
      case .cannotDecodeContentData, .cannotDecodeRawData:
        failure(.badEncoding, "the response's body cannot be decompressed: \(text)")
      case .badURL, .unsupportedURL:
        failure(.invalidRequest, "the URL cannot be used: \(text)", reached: false)
      case .dataLengthExceedsMaximum:
        failure(.unsupported, "URLSession refuses the request: \(text)", reached: false)
      case .appTransportSecurityRequiresSecureConnection:
        failure(
          .unsupported,
          "App Transport Security does not allow plain http; use https, or add an "
            + "exception to Info.plist: \(text)", reached: false)
      default: failure(.connectionLost, "the connection was lost: \(text)")
      }
  }

  /// Returns the error without its URL, which may contain secrets.
  private static func withoutURL(_ error: any Error, _ text: String) -> any Error {
    let whole = error as NSError
    let known = [NSLocalizedDescriptionKey: text]
    return (error as? URLError).map { URLError($0.code, userInfo: known) }
      ?? NSError(domain: whole.domain, code: whole.code, userInfo: known)
  }

  #if canImport(FoundationNetworking)
    /// Recognizes an error by libcurl's text, because FoundationNetworking has one code for most errors.
    private static func sense(_ text: String) -> (RequestError.Code, String, reached: Bool)? {
      let lower = text.lowercased()
      func says(_ words: String...) -> Bool { words.contains { lower.contains($0) } }
      if says("certificate") {
        return (.untrustedCertificate, "the server's certificate is not trusted", false)
      }
      if says("ssl", "tls") { return (.tlsFailed, "TLS failed", false) }
      if says("decod", "content encoding", "decompress", "unencoding") {
        return (.badEncoding, "the response's body cannot be decompressed", true)
      }
      if says("http/0.9", "invalid content-length", "unsupported protocol", "illegal") {
        return (.invalidResponse, "the server did not send an HTTP response", true)
      }
      if says("too large response headers", "out of memory") {
        return (.fieldsTooLarge, "the response's fields are larger than accepted", true)
      }
      if says("empty reply", "transfer closed", "recv failure", "send failure") {
        return (.connectionLost, "the connection was lost", true)
      }
      return nil
    }
  #endif
}
