import ErrandCore
import ErrandOutbox
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLError {
  /// Makes the error that URLSession would report, with the client's error as the underlying one.
  init(_ error: any Error, url: URL?) {
    if let error = error as? URLError {
      self = error
      return
    }
    var info: [String: Any] = [
      NSUnderlyingErrorKey: error, NSLocalizedDescriptionKey: "\(error)",
    ]
    if let url { info[NSURLErrorFailingURLErrorKey] = url }
    self.init(Self.code(of: error), userInfo: info)
  }

  /// The error of a request whose client was removed.
  static var removedClient: URLError {
    let reason =
      "the client of this session was removed with ErrandURLProtocol.stopUsing; make a session with the class "
      + "that ErrandURLProtocol.using returns for another client"
    return URLError(.resourceUnavailable, userInfo: [NSLocalizedDescriptionKey: reason])
  }

  private static func code(of error: any Error) -> Code {
    if error is CancellationError { return .cancelled }
    guard let error = error as? RequestError else {
      return error is OutboxError ? .cannotWriteToFile : .unknown
    }
    // The client's transport may itself use a URLSession.
    if let inner = error.underlying as? URLError { return inner.code }
    switch error.code {
    case .cancelled: return .cancelled
    case .timedOut, .deadlineExceeded: return .timedOut
    case .cannotResolveHost: return .cannotFindHost
    case .cannotConnect, .addressRefused, .proxyAuthenticationFailed: return .cannotConnectToHost
    case .connectionLost: return .networkConnectionLost
    case .untrustedCertificate, .pinMismatch: return .serverCertificateUntrusted
    case .tlsFailed: return .secureConnectionFailed
    case .invalidResponse, .rejected: return .badServerResponse
    case .badEncoding, .integrityFailed, .decryptionFailed: return .cannotDecodeContentData
    case .bodyTooLarge, .fieldsTooLarge: return .dataLengthExceedsMaximum
    case .tooManyRedirects: return .httpTooManyRedirects
    case .redirectRefused: return .redirectToNonExistentLocation
    case .invalidRequest: return .badURL
    case .unsupported: return .unsupportedURL
    case .bodyNotReplayable, .bodyFailed: return .requestBodyStreamExhausted
    case .fileUnreadable, .fileChanged: return .cannotOpenFile
    case .signedOut, .otherIdentity, .refreshFailed, .excessiveRefresh:
      return .userAuthenticationRequired
    case .ignoredRepeat: return .cancelled
    default: return .unknown
    }
  }
}
