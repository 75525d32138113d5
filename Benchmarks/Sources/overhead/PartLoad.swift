#if !BASELINE
  import ErrandCore

  /// The plain GET with one feature.
  struct PartLoad: Load {
    /// The features, and what one of them cannot do without: a task of its own.
    enum Part: String, CaseIterable {
      case scope, priority, activity, checks, shared
      /// The plain request in a task that its caller waits for, as a shared request needs one: its work goes on when
      /// its first caller is gone.
      case task
    }

    private let client = Client(transport: InstantTransport())
    private let scope: RequestScope?
    private let request: Request
    private let part: Part
    let tasks = 1

    init(_ part: Part) {
      self.part = part
      scope = part == .scope ? RequestScope("page") : nil
      let plain = Request.get("http://127.0.0.1/small")
      request =
        switch part {
        case .scope, .task: plain
        case .priority: plain.priority(.userInitiated)
        case .activity: plain.activity(Activity("Loading"))
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
    /// Returns the request with a check of its response's type and one of its body.
    func checked() -> Request {
      expecting(contentType: "text/plain").validate { if $0.data.isEmpty { throw WrongResponse() } }
    }
  }
#endif
