import ErrandCore

/// A plain GET.
struct PlainLoad: Load {
  private let client = Client(transport: InstantTransport())
  private let request = Request.get("http://127.0.0.1/small")
  let tasks: Int

  init(tasks: Int) { self.tasks = tasks }

  func send() async throws -> Response { try await client.send(request) }
}
