import CCurl
import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The `RequestError` for a code of libcurl.
struct CurlFailure {
  let error: RequestError

  init(_ code: CURLcode, _ transfer: CurlTransfer) {
    let said = transfer.errorMessage
    // libcurl's messages about proxies and URLs may quote secrets.
    let isOpen = !said.isEmpty && transfer.engine.options.proxySecrets.mayShow(said)
    let detail = isOpen ? said : String(cString: curl_easy_strerror(code))
    func failure(
      _ kind: RequestError.Code, _ text: String, reached: Bool? = nil, resend: ResendReason? = nil
    ) -> RequestError {
      transfer.exchange.error(
        kind, text, reachedServer: reached ?? transfer.hasReachedServer, underlying: CurlError(code, detail),
        resend: resend)
    }
    if let fate = transfer.fate, !transfer.isRefusedByProxy {
      switch fate {
      case .unprocessed(let reason):
        error = failure(.connectionLost, reason, reached: false, resend: .unprocessed)
        return
      case .unacknowledged:
        error = failure(.connectionLost, Self.ended, reached: true, resend: .staleConnection)
        return
      case .unknown where code == CURLE_ABORTED_BY_CALLBACK:
        error = failure(.connectionLost, Self.ended, reached: true)
        return
      case .unknown: break
      }
    }
    if transfer.refusalOfTunnel?.code == 407 {
      error = transfer.refusedByProxy
      return
    }
    if let problem = TLSAlert(said)?.meaning(transfer.engine.options) {
      error = failure(.tlsFailed, "\(problem): \(detail)")
      return
    }
    error =
      switch code {
      case CURLE_COULDNT_RESOLVE_HOST:
        failure(
          .cannotResolveHost, "the host \(transfer.exchange.request.url.host() ?? "") has no known address",
          reached: false)
      case CURLE_COULDNT_RESOLVE_PROXY:
        failure(.cannotResolveHost, "the proxy has no known address (\(detail))", reached: false)
      case CURLE_COULDNT_CONNECT where transfer.handle.isAddressRefused:
        // The address itself would tell a customer about the program's network.
        transfer.exchange.error(
          .addressRefused,
          "the host \(transfer.exchange.request.url.host() ?? "") has no public address, and the address policy refuses "
            + "others (CurlConfiguration.addressPolicy)", reachedServer: false)
      case CURLE_COULDNT_CONNECT where transfer.engine.watch.shortage != nil:
        transfer.exchange.error(
          .cannotConnect, "no connection: \(transfer.engine.watch.shortage!)", reachedServer: false,
          underlying: transfer.engine.watch.shortage)
      case CURLE_COULDNT_CONNECT where transfer.engine.options.unixSocket != nil:
        failure(
          .cannotConnect, "no connection to the Unix socket \(transfer.engine.options.unixSocket!)",
          reached: false)
      case CURLE_COULDNT_CONNECT, CURLE_PROXY:
        failure(.cannotConnect, "no connection: \(detail)", reached: false)
      case CURLE_OPERATION_TIMEDOUT: failure(.timedOut, "timed out: \(detail)")
      case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR:
        failure(.untrustedCertificate, "the server's certificate is not trusted: \(detail)", reached: false)
      case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        failure(.pinMismatch, transfer.pinMismatch, reached: false)
      case CURLE_SSL_CACERT_BADFILE:
        failure(
          .fileUnreadable, "the file of certificate authorities cannot be used: \(detail)", reached: false)
      case CURLE_SSL_CONNECT_ERROR where Self.isCut(said):
        failure(
          .connectionLost, "the connection was lost during the TLS handshake: \(detail)", reached: false)
      case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_CERTPROBLEM, CURLE_SSL_ENGINE_INITFAILED,
        CURLE_SSL_CLIENTCERT:
        failure(.tlsFailed, "TLS failed: \(detail)")
      // libcurl does not decode contents, so this concerns a transfer coding.
      case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
        failure(.invalidResponse, "the server did not send an HTTP response: \(detail)", reached: true)
      case CURLE_PARTIAL_FILE:
        failure(
          .connectionLost, "the connection ended in the middle of the response: \(detail)", reached: true)
      case CURLE_GOT_NOTHING:
        failure(.connectionLost, "the server closed the connection without a response", reached: true)
      case CURLE_ABORTED_BY_CALLBACK where transfer.upload.isSpent:
        failure(
          .connectionLost,
          "the proxy sent another challenge, but the body cannot be read again; use a body that can be repeated",
          reached: false)
      case CURLE_RECV_ERROR where said.contains("chunk") && transfer.response.hasLongTrailer:
        failure(.fieldsTooLarge, "a trailer of the response is larger than 4 KB", reached: true)
      // libcurl's words for a malformed transfer coding.
      case CURLE_RECV_ERROR where said.contains("chunk"):
        failure(.invalidResponse, "the chunks of the response are malformed: \(detail)", reached: true)
      case CURLE_RECV_ERROR where transfer.refusalOfTunnel != nil:
        failure(
          .cannotConnect, "the proxy refused the tunnel with \(transfer.refusalOfTunnel!)", reached: false)
      case CURLE_OUT_OF_MEMORY
      where CurlOptions.saysOutOfMemoryForFields && transfer.awaitsHead && transfer.hasReachedServer:
        // libcurl limits each line to 100 KB, whatever `maxFieldBytes` is.
        failure(.fieldsTooLarge, "a field of the response is larger than 100 KB", reached: true)
      case CURLcode(rawValue: 100):
        // `CURLE_TOO_LARGE`, since version 8.6.
        failure(.fieldsTooLarge, "the fields of the response are too large: \(detail)", reached: true)
      case CURLE_OUT_OF_MEMORY:
        failure(
          .connectionLost,
          "libcurl had no memory for the request; version 8.21 also reports this for an IPv6 address behind a proxy"
        )
      case CURLE_URL_MALFORMAT: failure(.invalidRequest, "the URL cannot be used: \(detail)", reached: false)
      default: failure(.connectionLost, "the connection was lost: \(detail)")
      }
  }

  private static let ended = "the connection ended without a response, and the server may have the request"

  /// Returns true if a handshake failed because the connection ended, and not because of an alert.
  private static func isCut(_ message: String) -> Bool {
    ["SSL_ERROR_SYSCALL", "unexpected eof"].contains { message.contains($0) }
      || errand_mentions_reset(message) || errand_mentions_closed(message)
  }
}

/// An alert that the server sent (RFC 8446, section 6), recognized by OpenSSL's words for it.
struct TLSAlert {
  private let words: Substring

  init?(_ message: String) {
    guard let start = message.firstRange(of: " alert ")?.upperBound else { return nil }
    words = message[start...]
  }

  /// Returns the reason, if a user can do something about it, or nil.
  func meaning(_ options: CurlOptions) -> String? {
    func isAbout(_ names: String...) -> Bool { names.contains { words.hasPrefix($0) } }
    if isAbout("protocol version") { return "the server does not speak \(options.minimumVersion) or later" }
    if isAbout("certificate required") { return "the server wants a client certificate" }
    let isRefusal = isAbout(
      "bad certificate", "unsupported certificate", "certificate revoked", "certificate expired",
      "certificate unknown", "unknown ca", "access denied")
    return isRefusal && options.identity != nil ? "the server refuses the client's certificate" : nil
  }
}

extension CurlTransfer {
  /// The error for a proxy's 407.
  var refusedByProxy: RequestError {
    exchange.error(.proxyAuthenticationFailed, engine.options.proxyRefusal, reachedServer: false)
  }

  /// The message for a key that is not pinned, with the pin of the key that the server has.
  fileprivate var pinMismatch: String {
    let lines = errand_server_certificate(easy).map { String(cString: $0) }?.split(separator: "\n") ?? []
    let body = lines.filter { !$0.hasPrefix("-----") }.joined()
    let seen = Data(base64Encoded: body).flatMap(PublicKeyPin.init(certificate:))
    let keys = host.map(engine.options.pins.keys) ?? []
    return keys.mismatch(at: host ?? exchange.request.url.host() ?? "the server", seen: seen)
  }
}

/// An error of libcurl.
public struct CurlError: Error, Sendable, CustomStringConvertible {
  /// The `CURLcode`.
  public let code: Int
  /// libcurl's description of the error, without secrets.
  public let message: String

  init(_ code: CURLcode, _ message: String) {
    self.code = Int(code.rawValue)
    self.message = message
  }

  public var description: String { "curl: (\(code)) \(message)" }
}
