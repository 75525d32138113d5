#if !BASELINE
  import ErrandAuthentication
  import ErrandCore
  import Foundation

  /// The plain GET with one feature.
  struct PartLoad: Load {
    /// The features, and the separate task that one of them needs.
    enum Part: String, CaseIterable {
      case scope, priority, activity, checks, shared
      /// The plain request in a task that its caller waits for. A shared request needs such a task, because its
      /// work continues without its first caller.
      case task
      /// A credential that need not be refreshed, and adds nothing to the request.
      case credential
      /// A credential for another origin.
      case elsewhere
      /// A listener that ignores everything.
      case listener
    }

    private struct Ignoring: EventListener {
      func record(_ event: CallEvent) {}
    }

    /// A credential that does not change the request.
    private struct Nothing: Authenticator {
      var authenticatesAtOnce: Bool { true }
      func authenticate(_ request: Request, with credential: Int) -> Request { request }
      func refresh(_ credential: Int?, _ refresh: CredentialRefresh) -> Int { 0 }
    }

    private let client: Client
    private let scope: RequestScope?
    private let request: Request
    private let part: Part
    let tasks = 1

    init(_ part: Part) {
      self.part = part
      scope = part == .scope ? RequestScope("page") : nil
      var configuration = ClientConfiguration()
      if part == .credential || part == .elsewhere {
        let origin = part == .credential ? "http://127.0.0.1" : "https://example.com"
        configuration.authentication = Authentication(
          CredentialSession(Nothing(), credential: 1), at: [URL(string: origin)].compactMap { $0 })
      }
      if part == .listener { configuration.listeners = [Ignoring()] }
      client = Client(transport: InstantTransport(), configuration: configuration)
      let plain = Request.get("http://127.0.0.1/small")
      request =
        switch part {
        case .scope, .task, .credential, .elsewhere, .listener: plain
        case .priority: plain.priority(.userInitiated)
        case .activity: plain.activity(RequestActivity("Loading"))
        case .checks: plain.checked()
        case .shared: plain.shared()
        }
    }

    func send() async throws -> Response {
      guard part == .task else { return try await client.send(request, in: scope) }
      return try await Task { try await client.send(request) }.value
    }
  }

  extension Request {
    /// Returns the request with checks of its response's content type and body.
    func checked() -> Request {
      expecting(contentType: "text/plain").validate { if $0.data.isEmpty { throw WrongResponse() } }
    }
  }
#endif
