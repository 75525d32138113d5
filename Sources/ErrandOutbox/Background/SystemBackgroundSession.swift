#if canImport(Darwin)
  import ErrandCore
  import Foundation

  /// URLSession's background session: it sends requests while the app is suspended, or after the app has
  /// ended.
  ///
  /// Create one at each launch, with the same identifier, before the outbox is opened. Cookies, caches and
  /// stored credentials of URLSession are off. The pinned keys and client certificates of the client's
  /// transport have no effect here.
  ///
  /// The session follows redirects automatically, and sends the request's header fields to the new URL. A
  /// server can therefore have them sent to another origin. A response from another origin does not count as
  /// delivered.
  public final class SystemBackgroundSession: BackgroundSession {
    /// The name of the session.
    package let identifier: String
    private let session: URLSession
    private let delegate: SystemSessionDelegate

    /// Creates the session with this identifier, or reconnects to it.
    /// - Parameters:
    ///   - identifier: The name of the session, unique within this app.
    ///   - sharedContainer: The identifier of the app group, for an extension; nil for an app.
    public init(identifier: String, sharedContainer: String? = nil) {
      let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
      configuration.sessionSendsLaunchEvents = true
      configuration.sharedContainerIdentifier = sharedContainer
      configuration.timeoutIntervalForResource = SessionLease.length.seconds
      configuration.urlCache = nil
      configuration.urlCredentialStorage = nil
      configuration.httpCookieStorage = nil
      configuration.httpShouldSetCookies = false
      self.identifier = identifier
      delegate = SystemSessionDelegate()
      session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    package func tasks() async -> [SessionTask] {
      let tasks = await session.allTasks
      delegate.know(tasks)
      return tasks.map { task in
        SessionTask(number: task.taskIdentifier, lease: task.lease, progress: task.progressInSession)
      }
    }

    package func makeTask(_ upload: SessionUpload) async throws -> Int {
      let request = URLRequest(upload)
      let task: URLSessionTask
      if let file = upload.file {
        task = session.uploadTask(with: request, fromFile: file)
        task.countOfBytesClientExpectsToSend = upload.length
      } else {
        task = session.downloadTask(with: request)
      }
      task.taskDescription = upload.lease.label
      if upload.wait > .zero { task.earliestBeginDate = Date(timeIntervalSinceNow: upload.wait.seconds) }
      delegate.know([task])
      return task.taskIdentifier
    }

    package func resume(task number: Int) { delegate.task(number)?.resume() }

    package func cancel(task number: Int) { delegate.task(number)?.cancel() }

    package func onEvent(_ handler: @escaping @Sendable (SessionEvent) -> Void) { delegate.onEvent(handler) }
  }

  extension URLRequest {
    fileprivate init(_ upload: SessionUpload) {
      self.init(
        url: upload.url, cachePolicy: .reloadIgnoringLocalCacheData,
        timeoutInterval: SessionLease.length.seconds)
      httpMethod = upload.method.rawValue
      httpShouldHandleCookies = false
      for field in upload.fields where value(forHTTPHeaderField: field.name) == nil {
        setValue(upload.fields[field.name], forHTTPHeaderField: field.name)
      }
      allowsExpensiveNetworkAccess = upload.constraints.allowsExpensiveNetworkAccess
      allowsConstrainedNetworkAccess = upload.constraints.allowsConstrainedNetworkAccess
    }
  }

  extension URLSessionTask {
    var lease: Lease? { taskDescription.flatMap(Lease.init(label:)) }

    /// True if the server may have received a part of the request. URLSession counts no bytes while it sends
    /// a request without a body, so such a request counts as begun once it is due.
    var mayHaveBegun: Bool {
      countOfBytesSent > 0 || countOfBytesReceived > 0 || response != nil || isDueWithoutBody
    }

    fileprivate var progressInSession: SessionTask.Progress {
      switch state {
      case .suspended: .suspended
      case .completed: .ended
      case .running, .canceling: mayHaveBegun ? .begun : .waiting
      @unknown default: .begun
      }
    }

    private var isDueWithoutBody: Bool {
      let isBodyless = self is URLSessionDownloadTask || countOfBytesClientExpectsToSend == 0
      return isBodyless && earliestBeginDate.map { $0 <= Date() } ?? true
    }
  }
#endif
