#if !BASELINE
  import ErrandCore

  /// The same GET with all features: a scope, sharing, a priority, an activity, checks of the response, and
  /// retries.
  struct FullLoad: Load {
    private let client = Client(transport: InstantTransport())
    private let scope = RequestScope("page")
    private let request: Request
    let tasks: Int

    init(tasks: Int) {
      self.tasks = tasks
      request = Request.get("http://127.0.0.1/small")
        .shared().priority(.userInitiated).activity(RequestActivity("Loading"))
        .checked()
        .attempts(3)
    }

    func send() async throws -> Response { try await client.send(request, in: scope) }
  }
#endif
