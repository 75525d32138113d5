import CCurl
import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The `RequestError` for a code of libcurl's.
struct CurlFailure {
  let error: RequestError

  init(_ code: CURLcode, _ transfer: CurlTransfer) {
    let said = transfer.errorMessage
    // libcurl's message about a proxy or a URL may quote a secret.
    let isOpen = !said.isEmpty && transfer.engine.options.proxySecrets.mayShow(said)
    let detail = isOpen ? said : String(cString: curl_easy_strerror(code))
    func failure(_ kind: RequestError.Code, _ text: String, reached: Bool? = nil) -> RequestError {
      transfer.exchange.error(
        kind, text, reachedServer: reached ?? transfer.hasReachedServer, underlying: CurlError(code, detail))
    }
    error =
      switch code {
      case CURLE_COULDNT_RESOLVE_HOST:
        failure(
          .cannotResolveHost, "the host \(transfer.exchange.request.url.host() ?? "") has no known address",
          reached: false)
      case CURLE_COULDNT_RESOLVE_PROXY:
        failure(.cannotResolveHost, "the proxy has no known address (\(detail))", reached: false)
      case CURLE_COULDNT_CONNECT, CURLE_PROXY:
        failure(.cannotConnect, "no connection: \(detail)", reached: false)
      case CURLE_OPERATION_TIMEDOUT: failure(.timedOut, "timed out: \(detail)")
      case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR:
        failure(.untrustedCertificate, "the server's certificate is not trusted: \(detail)", reached: false)
      case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        failure(.pinMismatch, "the server's public key is none of those that were pinned", reached: false)
      case CURLE_SSL_CACERT_BADFILE:
        failure(
          .fileUnreadable, "the file of certificate authorities cannot be used: \(detail)", reached: false)
      case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_CERTPROBLEM, CURLE_SSL_ENGINE_INITFAILED:
        failure(.tlsFailed, "TLS failed: \(detail)")
      // libcurl does not decode contents, so this is about a transfer coding.
      case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
        failure(.invalidResponse, "what the server sent is no HTTP response: \(detail)", reached: true)
      case CURLE_PARTIAL_FILE:
        failure(
          .connectionLost, "the connection ended in the middle of the response: \(detail)", reached: true)
      case CURLE_GOT_NOTHING:
        failure(.connectionLost, "the server closed the connection without a response", reached: true)
      case CURLE_SEND_FAIL_REWIND, CURLE_ABORTED_BY_CALLBACK:
        failure(
          .connectionLost,
          "the connection ended without a response; it is not sent again by itself, for the server may have it",
          reached: true)
      case CURLE_RECV_ERROR where transfer.refusalOfTunnel != nil:
        failure(
          .cannotConnect, "the proxy refused the tunnel with \(transfer.refusalOfTunnel!)", reached: false)
      case CURLE_OUT_OF_MEMORY where transfer.awaitsHead && transfer.hasReachedServer:
        // libcurl's own limit for one line, which is independent of `maxFieldBytes`.
        failure(.fieldsTooLarge, "a field of the response is larger than 100 KB", reached: true)
      case CURLcode(rawValue: 100):
        // CURLE_TOO_LARGE, since version 8.6.
        failure(.fieldsTooLarge, "the fields of the response are too large: \(detail)", reached: true)
      case CURLE_URL_MALFORMAT: failure(.invalidRequest, "the URL cannot be used: \(detail)", reached: false)
      default: failure(.connectionLost, "the connection was lost: \(detail)")
      }
  }
}

/// An error of libcurl's.
public struct CurlError: Error, Sendable, CustomStringConvertible {
  /// The `CURLcode`.
  public let code: Int
  public let message: String

  init(_ code: CURLcode, _ message: String) {
    self.code = Int(code.rawValue)
    self.message = message
  }

  public var description: String { "curl: (\(code)) \(message)" }
}
