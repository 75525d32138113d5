import Dispatch
public import ErrandCore

#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking
#else
  import Foundation
#endif

/// The transport on Foundation's URLSession. It is the default on Apple's platforms, where the system handles
/// proxies, VPNs, cellular networks and HTTP/3.
///
/// URLSession's cookies, caches and stored credentials are off, and it follows no redirects. Errand's rules
/// apply, as with every transport. URLSession sets the header fields `Host`, `Connection` and
/// `Content-Length` itself.
///
/// A request fails with `RequestError(.unsupported)` if URLSession would send it differently: a GET or HEAD
/// with a body, a body with trailers, HTTP/1.1 only over TLS, HTTP/2 without TLS. URLSession does not report the
/// trailers of responses, nor interim responses (1xx) to listeners.
///
/// ## On Linux
///
/// On Linux, URLSession (FoundationNetworking) is another implementation with different defects, so
/// `CurlTransport` is the default there. This transport handles the defects as follows:
///
/// - URLSession would silently resend a POST if a kept-alive connection is closed. So each request that must
///   not be repeated gets a new session with a fresh connection, which costs a few milliseconds. GET and
///   other safe methods, and requests with an `Idempotency-Key`, reuse connections whatever their policy, and
///   may be sent once more.
/// - URLSession has no backpressure. Data that a slow consumer has not read is held in memory, up to
///   ``URLSessionTransportConfiguration/responseBufferLimit``. Beyond that limit, the request fails with
///   `.unsupported`.
/// - URLSession reads bodies on its thread. So a body that is read piece by piece is first read to its end,
///   into memory or a temporary file, and then sent with its length.
/// - Client certificates, pinned public keys and a lowest version of TLS are refused with `.invalidConfiguration`.
/// - Proxies, time-outs under a second and the resource time-out do not work. Proxies are unsupported, and
///   this transport implements the time-outs itself.
/// - Most failures have the same code, -1. The transport distinguishes a lost connection, bad gzip and failed
///   TLS by their texts, as far as possible.
/// - The body of a redirect that is not followed is lost. Cancelling during a slow DNS look-up delays other requests.
/// - Chunks with trailers, and a connection that closes within the header fields of a response, crash the process.
/// - Idle connections stay open after `shutdown`. Connection metrics are missing.
/// - Rarely, after servers have reset connections, a request makes no progress until its time-out. Two
///   threads of libdispatch may unregister one socket at the same time, and the next socket with that number
///   is not watched (swift-corelibs-libdispatch, issues 833 and 949).
public final class URLSessionTransport: Transport {
  private let configuration: URLSessionTransportConfiguration
  private let delegate: SessionDelegate
  private let tls: SessionTLS
  private let sessions: SessionPool
  private let isShutDown = Locked(false)
  /// Starts tasks without blocking the callers' threads. On Linux, starting a task waits for all work on
  /// URLSession's queue. Each serial queue has a thread there.
  private let starting = DispatchQueue(label: "errand.urlsession.start")

  /// Makes a transport with new sessions.
  public init(configuration: URLSessionTransportConfiguration = URLSessionTransportConfiguration()) {
    self.configuration = configuration
    let tls = SessionTLS(configuration.tls)
    let delegate = SessionDelegate(tls)
    self.tls = tls
    self.delegate = delegate
    sessions = SessionPool { Self.makeSession(configuration, tls, delegate) }
  }

  // A session holds its delegate until it is invalidated.
  deinit {
    for session in sessions.all { session.delegateQueue.addOperation { session.invalidateAndCancel() } }
  }

  /// Checks the configuration, so that a program can report at its start that requests cannot be sent.
  /// - Throws: The error with which every request would fail.
  public func checkConfiguration() throws(RequestError) {
    guard let problem = tls.problem else { return }
    throw RequestError(.invalidConfiguration, message: problem, reachedServer: false)
  }

  /// Performs one attempt as a task of URLSession.
  public func perform(_ exchange: Exchange) async throws -> TransferResult {
    if let reason = Refusal.reason(exchange.request) {
      throw exchange.error(.unsupported, reason, reachedServer: false)
    }
    if let problem = tls.problem {
      throw exchange.error(.invalidConfiguration, problem, reachedServer: false)
    }
    if isShutDown.withLock({ $0 }) {
      throw exchange.error(.cannotConnect, "the transport has been shut down", reachedServer: false)
    }
    let transfer = SessionTransfer(exchange, bufferLimit: configuration.responseBufferLimit)
    let handler = exchange.onCancel { transfer.cancel() }
    defer { exchange.removeCancelHandler(handler) }
    return try await withCheckedThrowingContinuation { continuation in
      transfer.begin(continuation)
      UploadSource.open(
        exchange.request.upload, memoryLimit: configuration.uploadMemoryLimit, moved: { transfer.didMove() }
      ) { source in
        switch source {
        case .success(let source): self.starting.async { self.start(transfer, source) }
        case .failure(let error): transfer.finish(.failure(error))
        }
      }
    }
  }

  /// Fails the transfers in flight and invalidates the sessions. A later request fails with
  /// `RequestError(.cannotConnect)`.
  public func shutdown() async {
    isShutDown.withLock { $0 = true }
    // This waits for all starts, because creating a task in an invalidated session crashes on Apple's
    // platforms. It uses the delegate's queue for the same reason as `SessionTransfer.endTask`.
    await withCheckedContinuation { continuation in
      starting.async { continuation.resume() }
    }
    for session in sessions.all {
      await withCheckedContinuation { continuation in
        session.delegateQueue.addOperation {
          session.invalidateAndCancel()
          continuation.resume()
        }
      }
    }
    delegate.finishAll()
  }

  private func start(_ transfer: SessionTransfer, _ source: UploadSource) {
    guard transfer.didMove() else { return source.close() }
    if isShutDown.withLock({ $0 }) {
      source.close()
      return transfer.shutDown()
    }
    let needsFreshConnection = transfer.exchange.request.needsFreshConnection
    let keys = tls.pins.keys(of: transfer.exchange.request.url.host() ?? "")
    let session =
      needsFreshConnection ? Self.makeSession(configuration, tls, delegate) : sessions.session(for: keys)
    let task = source.task(URLRequest(transfer.exchange.request), in: session)
    delegate.add(transfer, for: task)
    transfer.start(task, source, queue: session.delegateQueue)
    if needsFreshConnection { session.finishTasksAndInvalidate() }
  }

  private static func makeSession(
    _ configuration: URLSessionTransportConfiguration, _ tls: SessionTLS, _ delegate: SessionDelegate
  ) -> URLSession {
    let own = URLSessionConfiguration.ephemeral
    own.urlCache = nil
    own.requestCachePolicy = .reloadIgnoringLocalCacheData
    own.urlCredentialStorage = nil
    own.httpCookieStorage = nil
    own.httpCookieAcceptPolicy = .never
    own.httpShouldSetCookies = false
    own.httpMaximumConnectionsPerHost = configuration.maxConnectionsPerHost
    tls.apply(to: own)
    own.timeoutIntervalForRequest = URLRequest.never
    own.timeoutIntervalForResource = URLRequest.never
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    return URLSession(configuration: own, delegate: delegate, delegateQueue: queue)
  }
}

extension Exchange.Request {
  /// True if URLSession might repeat a request that must not be repeated. FoundationNetworking does that if
  /// the server has closed the connection.
  fileprivate var needsFreshConnection: Bool {
    #if canImport(FoundationNetworking)
      !mayBeRepeated
    #else
      false
    #endif
  }
}

/// The configuration of a `URLSessionTransport`.
public struct URLSessionTransportConfiguration: Sendable {
  /// The client's certificate (PKCS #12), the lowest version of TLS, and the public keys that hosts may have.
  ///
  /// On Linux, URLSession supports none of these. Requests fail with `RequestError(.invalidConfiguration)` if
  /// any is set, and the lowest version is that of the system's OpenSSL.
  public var tls = TLSConfiguration()
  /// The most HTTP/1 connections to one host. Further requests wait for a connection. Default: 64.
  public var maxConnectionsPerHost = 64
  /// The largest body that is buffered in memory on Linux, in bytes. There, a body that is read piece by
  /// piece is read to its end before it is sent. A longer body goes to a temporary file. Default: 1 MiB.
  public var uploadMemoryLimit = 1 << 20
  /// The most bytes of a response that are buffered on Linux, where URLSession has no backpressure, for a
  /// consumer that is slower than the network. Beyond that limit, the request fails. Default: 64 MiB.
  public var responseBufferLimit = 64 << 20

  /// Makes a configuration with the defaults.
  public init() {}
}

/// Finds the requests that URLSession would silently send differently.
enum Refusal {
  static func reason(
    _ request: Exchange.Request
  ) -> String? {
    if request.method == .get || request.method == .head, request.upload.length != 0 {
      return "URLSession cannot send a body with \(request.method)"
    }
    if request.upload.hasTrailers {
      return "URLSession cannot send trailers; use CurlTransport, or send the body without trailers"
    }
    if request.connectTimeout != nil {
      return "URLSession does not report when it has a connection, so connectTimeout is not supported; "
        + "use timeout"
    }
    switch request.httpVersion {
    case .http1 where request.isSecure:
      return "URLSession cannot be limited to HTTP/1.1 over TLS; use httpVersion(.automatic)"
    case .http2 where !request.isSecure:
      return "URLSession does not support HTTP/2 without TLS; use https, or httpVersion(.automatic)"
    default: break
    }
    return nil
  }
}

extension URLSessionTransport: CustomReflectable {
  /// An empty mirror, because the configuration may contain passwords.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
