import AsyncHTTPClient
import Errand
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

extension Exchange {
  /// Returns an error of AsyncHTTPClient or NIO as Errand's, with the original as its cause.
  ///
  /// AsyncHTTPClient does not say whether it has sent a byte. So the server may have received the request, unless no
  /// connection was made.
  func error(for cause: any Error) -> any Error {
    switch cause {
    case is RequestError, is CancellationError: cause
    case let cause as SinkFailure: cause.error
    case let cause as HTTPClientError: error(for: cause)
    case let cause as NIOConnectionError where cause.connectionErrors.isEmpty:
      error(.cannotResolveHost, "the host has no address", reachedServer: false, underlying: cause)
    case is NIOConnectionError:
      error(.cannotConnect, "no connection was made", reachedServer: false, underlying: cause)
    case ChannelError.connectTimeout:
      error(.timedOut, "no connection was made in time", reachedServer: false, underlying: cause)
    case NIOSSLError.handshakeFailed:
      error(.tlsFailed, "the TLS handshake failed", reachedServer: false, underlying: cause)
    case HTTPParserError.invalidEOFState:
      error(
        .connectionLost, "the connection ended before the response was complete", reachedServer: true,
        underlying: cause)
    case HTTPParserError.headerOverflow:
      error(
        .fieldsTooLarge, "the response's header fields exceed NIO's limit", reachedServer: true,
        underlying: cause)
    case is HTTPParserError:
      error(.invalidResponse, "the response is not valid HTTP", reachedServer: true, underlying: cause)
    default:
      error(
        .connectionLost, "AsyncHTTPClient failed with an error of the type \(type(of: cause))",
        reachedServer: true, underlying: cause)
    }
  }

  private func error(for cause: HTTPClientError) -> any Error {
    switch cause {
    case .cancelled: CancellationError()
    case .connectTimeout, .tlsHandshakeTimeout, .socksHandshakeTimeout, .httpProxyHandshakeTimeout,
      .getConnectionFromPoolTimeout:
      error(.timedOut, "no connection was made in time", reachedServer: false, underlying: cause)
    case .readTimeout, .writeTimeout, .deadlineExceeded:
      error(.timedOut, "the time-out of AsyncHTTPClient has passed", reachedServer: true, underlying: cause)
    case .proxyAuthenticationRequired:
      error(
        .proxyAuthenticationFailed, "the proxy requires a user and a password", reachedServer: false,
        underlying: cause)
    case .invalidProxyResponse:
      error(.cannotConnect, "the proxy did not respond as a proxy", reachedServer: false, underlying: cause)
    case .alreadyShutdown:
      error(.cannotConnect, "the transport has been shut down", reachedServer: false, underlying: cause)
    // Not `staleConnection`, because the connection may have been a new one.
    case .remoteConnectionClosed:
      error(.connectionLost, "the server closed the connection", reachedServer: true, underlying: cause)
    case .uncleanShutdown:
      error(
        .connectionLost, "the server closed the connection without ending TLS", reachedServer: true,
        underlying: cause)
    default:
      error(
        .connectionLost, "AsyncHTTPClient failed: \(cause.shortDescription)", reachedServer: true,
        underlying: cause)
    }
  }
}

/// An error of the response's sink, which the attempt throws unchanged.
struct SinkFailure: Error {
  let error: any Error

  static func wrapping<Value>(_ work: () throws -> Value) throws -> Value {
    do { return try work() } catch { throw SinkFailure(error: error) }
  }
}
