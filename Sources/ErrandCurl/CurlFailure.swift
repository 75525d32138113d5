import CCurl
import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a code of libcurl's means to the one who sent the request.
struct CurlFailure {
  let error: RequestError

  init(_ code: CURLcode, _ transfer: CurlTransfer) {
    let said = transfer.errorMessage
    // What libcurl says of a proxy, or of a URL, may quote what is secret in it.
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
      // Contents are not decoded by libcurl: this is about a transfer coding.
      case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
        failure(.invalidResponse, "what the server sent is no HTTP answer: \(detail)", reached: true)
      case CURLE_PARTIAL_FILE:
        failure(.connectionLost, "the connection ended in the middle of the answer: \(detail)", reached: true)
      case CURLE_GOT_NOTHING:
        failure(.connectionLost, "the server closed the connection without an answer", reached: true)
      case CURLE_SEND_FAIL_REWIND, CURLE_ABORTED_BY_CALLBACK:
        failure(
          .connectionLost,
          "the connection ended without an answer; it is not sent again by itself, for the server may have it",
          reached: true)
      case CURLE_RECV_ERROR where transfer.refusalOfTunnel != nil:
        failure(
          .cannotConnect, "the proxy refused the tunnel with \(transfer.refusalOfTunnel!)", reached: false)
      case CURLE_OUT_OF_MEMORY where transfer.awaitsHead && transfer.hasReachedServer:
        // libcurl's own limit for one line, whatever ours is for all of them.
        failure(.fieldsTooLarge, "a field of the answer is larger than 100 KB", reached: true)
      case CURLcode(rawValue: 100):
        // CURLE_TOO_LARGE, since version 8.6.
        failure(.fieldsTooLarge, "the fields of the answer are too large: \(detail)", reached: true)
      case CURLE_URL_MALFORMAT: failure(.invalidRequest, "the URL cannot be used: \(detail)", reached: false)
      default: failure(.connectionLost, "the connection was lost: \(detail)")
      }
  }
}

/// libcurl's own error.
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
