import ErrandCore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What an error of URLSession's means to the one who sent the request.
struct SessionFailure {
  let error: RequestError

  init(_ underlying: any Error, _ exchange: Exchange) {
    let text = (underlying as NSError).localizedDescription
    func failure(_ kind: RequestError.Code, _ message: String, reached: Bool = true) -> RequestError {
      exchange.error(kind, message, reachedServer: reached, underlying: underlying)
    }
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
        failure(.invalidResponse, "what the server sent is no HTTP answer: \(text)")
      case .cannotDecodeContentData, .cannotDecodeRawData:
        failure(.badEncoding, "the answer's body cannot be decompressed: \(text)")
      case .badURL, .unsupportedURL:
        failure(.invalidRequest, "the URL cannot be used: \(text)", reached: false)
      case .dataLengthExceedsMaximum: failure(.unsupported, "URLSession refuses it: \(text)", reached: false)
      case .appTransportSecurityRequiresSecureConnection:
        failure(.unsupported, "App Transport Security allows no plain http here: \(text)", reached: false)
      case .unknown: Self.guess(text, failure)
      default: failure(.connectionLost, "the connection was lost: \(text)")
      }
  }

  /// Linux has one code for nearly everything, and sometimes a text of libcurl's.
  private static func guess(
    _ text: String, _ failure: (RequestError.Code, String, Bool) -> RequestError
  ) -> RequestError {
    let lower = text.lowercased()
    if lower.contains("certificate") {
      return failure(.untrustedCertificate, "the server's certificate is not trusted: \(text)", false)
    }
    if lower.contains("ssl") || lower.contains("tls") { return failure(.tlsFailed, "TLS failed: \(text)", false) }
    if lower.contains("decod") || lower.contains("encoding") || lower.contains("decompress") {
      return failure(.badEncoding, "the answer's body cannot be decompressed: \(text)", true)
    }
    return failure(.connectionLost, "the connection was lost: \(text)", true)
  }
}
