import ErrandCore
import ErrandOutbox
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request of a session on its way through the client.
final class ProtocolLoad: Sendable {
  struct Contents {
    var state = ProtocolLoadState()
    var call: Call?
    var work: Task<Void, Never>?
    #if canImport(FoundationNetworking)
      var outcome: Outcome?
    #endif
  }

  /// Makes the calls that tell a session how the request ended.
  typealias Outcome = @Sendable (ErrandURLProtocol, any URLProtocolClient) -> Void

  /// The session's object.
  // Safe to share: it is never set again, and a weak reference may be read on any thread. The object's client is
  // called on the session's thread or queue only.
  nonisolated(unsafe) private(set) weak var urlProtocol: ErrandURLProtocol?
  let binding: Binding
  #if canImport(Darwin)
    let thread = ClientThread()
  #endif
  let contents = Locked(Contents())

  init(_ urlProtocol: ErrandURLProtocol, _ binding: Binding) {
    self.urlProtocol = urlProtocol
    self.binding = binding
  }

  func start() {
    guard let urlProtocol, contents.withLock({ $0.state.start() }) else { return }
    begin(urlProtocol.request)
  }

  func begin(_ original: URLRequest) {
    let work = Task { [self] in
      do {
        // On Linux, a task's properties cannot be read while it begins.
        let priority = urlProtocol?.task?.priority ?? 0.5
        #if canImport(FoundationNetworking)
          // FoundationNetworking hides the body of an upload, and a download would end the process.
          let task = urlProtocol?.task
          if task is URLSessionUploadTask || task is URLSessionDownloadTask {
            throw URLError(.unsupportedURL)
          }
        #endif
        // A stream can be read only once. The bytes are kept, to be sent again with a credential or after a redirect.
        let (body, original) = try await original.readingBody()
        var request = try Request(
          original, body: body, priority: priority, retry: binding.client.retryPolicy)
        guard isLoading else { throw CancellationError() }
        if let mark = original.additions?.outbox {
          let id = try await store(request, mark)
          return tell(Response(status: 202, url: original.url ?? .placeholder), of: original, stored: id)
        }
        if binding.tellsRedirects { request = request.redirects(RedirectPolicy(limit: 0)) }
        let response = try await outcome(of: request)
        #if canImport(Darwin)
          if try tellRedirect(response, of: request, original) { return }
          if ask(for: response, original) { return }
        #endif
        tell(response, of: original)
      } catch {
        fail(error, original)
      }
    }
    contents.withLock { $0.work = work }
    if !isLoading { work.cancel() }
  }

  var isLoading: Bool { contents.withLock { $0.state.isLoading } }

  func stop() {
    let (isRunning, call, work) = contents.withLock { ($0.state.stop(), $0.call, $0.work) }
    guard isRunning else { return }
    call?.cancel()
    work?.cancel()
  }

  private func store(_ request: Request, _ mark: RequestAdditions.OutboxMark) async throws -> OutboxID {
    guard let outbox = binding.outbox else { throw URLError(.unsupportedURL) }
    // Another session or program sends the stored request, so it must not depend on this session.
    return try await outbox.enqueue(request.stored, lane: mark.lane).id
  }

  private func outcome(of request: Request) async throws -> Response {
    let call = binding.client.start(request)
    contents.withLock { $0.call = call }
    if !isLoading { call.cancel() }
    do {
      return try await call.value
    } catch let error as RequestError {
      // The last response to a retried request is returned like any other response.
      if let refused = error.underlying as? RefusedResponse { return refused.response }
      throw error
    }
  }

  func tell(_ response: Response, of original: URLRequest, stored id: OutboxID? = nil) {
    guard let head = SessionResponse(response, stored: id) else {
      return fail(URLError(.badServerResponse), original)
    }
    tell { urlProtocol, client in
      client.urlProtocol(urlProtocol, didReceive: head, cacheStoragePolicy: .notAllowed)
      if !response.data.isEmpty { client.urlProtocol(urlProtocol, didLoad: response.data) }
      #if canImport(FoundationNetworking)
        head.withoutURL { client.urlProtocolDidFinishLoading(urlProtocol) }
      #else
        client.urlProtocolDidFinishLoading(urlProtocol)
      #endif
    }
  }

  func fail(_ error: any Error, _ original: URLRequest) {
    let error = URLError(error, url: original.url)
    tell { urlProtocol, client in client.urlProtocol(urlProtocol, didFailWithError: error) }
  }

  #if canImport(Darwin)
    func tell(_ outcome: @escaping Outcome) {
      thread.perform { [self] in
        guard contents.withLock({ $0.state.finish() }) else { return }
        guard let urlProtocol, let client = urlProtocol.client else { return }
        outcome(urlProtocol, client)
      }
    }
  #else
    /// Hands the outcome over to the task's queue, on which alone FoundationNetworking may be called: elsewhere, a call
    /// beside the task's cancellation ends the process. A task that is resumed while it is running calls `startLoading`
    /// on that queue, and nothing else leads there.
    func tell(_ outcome: @escaping Outcome) {
      contents.withLock { $0.outcome = outcome }
      guard let task = urlProtocol?.task, task.state == .running else { return }
      task.resume()
    }

    /// Tells the session the outcome, if there is one. Called on the task's queue.
    func deliver() {
      let outcome = contents.withLock { contents in
        defer { contents.outcome = nil }
        return contents.outcome
      }
      // The session itself ends a task that is being cancelled.
      guard let outcome, let urlProtocol, let client = urlProtocol.client,
        urlProtocol.task?.state == .running, contents.withLock({ $0.state.finish() })
      else { return }
      outcome(urlProtocol, client)
    }
  #endif
}

#if canImport(Darwin)
  /// The thread on which a session expects callbacks: the thread that began the load.
  struct ClientThread: Sendable {
    // Safe to share: a run loop's `perform` may be called on any thread.
    nonisolated(unsafe) private let loop = RunLoop.current
    private let mode = RunLoop.current.currentMode ?? .default

    func perform(_ work: @escaping @Sendable () -> Void) {
      loop.perform(inModes: [mode, .common], block: work)
      CFRunLoopWakeUp(loop.getCFRunLoop())
    }
  }
#endif

extension URL {
  static var placeholder: URL { URL(fileURLWithPath: "/") }
}
