#if canImport(Darwin)
  import ErrandCore
  import Foundation

  /// Collects the events of a background session's tasks.
  final class SystemSessionDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {
    private struct State {
      var tasks: [Int: URLSessionTask] = [:]
      var bodies: [Int: Data] = [:]
      var handler: (@Sendable (SessionEvent) -> Void)?
      /// The events that arrived before the handler was set.
      var events: [SessionEvent] = []
    }

    /// The most bytes of a response's body that are held: more than the outbox stores of a response.
    static let bodyLimit = (16 << 20) + 1

    private let state = Locked(State())

    func know(_ tasks: [URLSessionTask]) {
      state.withLock { state in for task in tasks { state.tasks[task.taskIdentifier] = task } }
    }

    func task(_ number: Int) -> URLSessionTask? { state.withLock { $0.tasks[number] } }

    func onEvent(_ handler: @escaping @Sendable (SessionEvent) -> Void) {
      let events = state.withLock { state in
        state.handler = handler
        defer { state.events = [] }
        return state.events
      }
      for event in events { handler(event) }
    }

    private func tell(_ event: SessionEvent) {
      let handler = state.withLock { state in
        if state.handler == nil { state.events.append(event) }
        return state.handler
      }
      handler?(event)
    }

    private func take(_ data: Data, of task: URLSessionTask) {
      state.withLock { state in
        let room = Self.bodyLimit - (state.bodies[task.taskIdentifier]?.count ?? 0)
        state.bodies[task.taskIdentifier, default: Data()].append(data.prefix(max(0, room)))
      }
    }

    // MARK: Ends

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      take(data, of: dataTask)
    }

    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
      // The system removes the file when this method returns.
      let body = try? FileDescriptor(reading: location.path).read(Self.bodyLimit, at: 0)
      take(body ?? Data(), of: downloadTask)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      let body = state.withLock { state in
        state.tasks[task.taskIdentifier] = nil
        return state.bodies.removeValue(forKey: task.taskIdentifier) ?? Data()
      }
      guard let lease = task.lease else { return }
      tell(.ended(lease, SessionEnd(task, error, body)))
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { tell(.drained) }

    // MARK: Calls of sessions of other kinds

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      completionHandler(.allow)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      completionHandler(nil)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      // A 401 is a response, and the request already has its credentials.
      completionHandler(.performDefaultHandling, nil)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
      completionHandler(nil)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
      totalBytesExpectedToSend: Int64
    ) {}

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {}
  }

  extension SessionEnd {
    fileprivate init(_ task: URLSessionTask, _ error: (any Error)?, _ body: Data) {
      guard let error else {
        guard let response = task.response as? HTTPURLResponse, let url = task.currentRequest?.url else {
          self = .failure(.invalidResponse, message: "there is no HTTP response", reachedServer: true)
          return
        }
        self = .response(
          SessionResponse(
            status: HTTPStatus(response.statusCode), fields: HTTPFields(ofSession: response.allHeaderFields),
            url: url,
            method: HTTPMethod(rawValue: task.currentRequest?.httpMethod ?? "GET"), body: body))
        return
      }
      switch (error as? URLError)?.code {
      case .cancelled: self = .cancelled(hasBegun: task.mayHaveBegun)
      case .fileDoesNotExist, .cannotOpenFile, .noPermissionsToReadFile:
        self = .failure(.fileUnreadable, message: "the file cannot be read", reachedServer: false)
      case .cannotFindHost, .dnsLookupFailed:
        self = .failure(.cannotResolveHost, message: "the host has no known address", reachedServer: false)
      case .cannotConnectToHost, .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff,
        .callIsActive:
        self = .failure(.cannotConnect, message: "no connection", reachedServer: false)
      case .timedOut: self = .failure(.timedOut, message: "timed out", reachedServer: true)
      case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateNotYetValid,
        .serverCertificateHasUnknownRoot:
        self = .failure(
          .untrustedCertificate, message: "the server's certificate is not trusted", reachedServer: false)
      case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired:
        self = .failure(.tlsFailed, message: "TLS failed", reachedServer: false)
      default:
        self = .failure(
          .connectionLost, message: "the connection was lost: \((error as NSError).code)", reachedServer: true
        )
      }
    }
  }
#endif
