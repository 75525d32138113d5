import ErrandCore
import ErrandCurl
import ErrandTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct LatestOnSocketsTests {
  private let server: MockServer

  init() throws { server = try MockServer() }

  private func search(_ text: String) -> Request {
    Request.get(server.url("/search"), query: ["q": text]).latest("search")
  }

  @Test func `ten keystrokes make nine superseded calls with closed sockets, and one result`() async throws {
    let client = Client(transport: CurlTransport())
    let word = "networking"
    server.on("/search") { $0.query == "q=\(word)" ? .response(body: "found") : .stall }
    var calls: [Call] = []
    for count in 1...10 {
      calls.append(client.start(search(String(word.prefix(count)))))
      try await server.waitForRequests(count)
    }
    for call in calls.dropLast() { #expect(await call.error?.cancellation == .superseded) }
    #expect(try await calls[9].value.text == "found")
    let record = try await server.wait(for: "nine that are closed") { record in
      record.requests.count(where: \.wasAbandoned) == 9
    }
    #expect(record.requests.count == 10)
    #expect(record.openConnections == 1)
  }

  @Test func `ten keystrokes that wait for a slot send only the last one`() async throws {
    let client = Client(transport: CurlTransport())
    server.on("/stall") { _ in .stall }
    server.on("/search") { .response(body: $0.query ?? "") }
    client.limits.total = 1
    let holder = client.start(.get(server.url("/stall")))
    try await server.waitForRequests(1)
    let calls = (1...10).map { client.start(search("\($0)")) }
    for call in calls.dropLast() { #expect(await call.error?.cancellation == .superseded) }
    holder.cancel()
    #expect(try await calls[9].value.text == "q=10")
    #expect(server.count("/search") == 1)
  }

  @Test func `the newest of fifty concurrent tasks gets its response, and none waits forever`() async throws {
    let client = Client(transport: CurlTransport())
    let gate = ServerGate()
    server.on("/search") {
      gate.pass()
      return .response(body: $0.query ?? "")
    }
    let responses = await withTaskGroup(of: Result<Response, any Error>.self) { group in
      for number in 0..<50 {
        group.addTask {
          do { return .success(try await client.send(search("\(number)"))) } catch { return .failure(error) }
        }
      }
      var (superseded, responses) = (0, 0)
      for await result in group {
        switch result {
        case .success: responses += 1
        case .failure(let error):
          #expect((error as? RequestError)?.cancellation == .superseded)
          superseded += 1
          if superseded == 49 { gate.open() }
        }
      }
      return responses
    }
    #expect(responses == 1)
  }

  /// Delays a response until its gate is open, even if its call was cancelled.
  private struct Holding: Interceptor {
    let hasCome = StubGate()
    let gate = StubGate()

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      let response = try await next(request)
      hasCome.open()
      await Task.detached { [gate] in try? await gate.pass() }.value
      return response
    }
  }

  @Test func `a superseded result is not delivered, even if all its bytes have arrived`() async throws {
    let holding = Holding()
    var configuration = ClientConfiguration()
    configuration.attemptInterceptors = [holding]
    let client = Client(transport: CurlTransport(), configuration: configuration)
    server.on("/search") { .response(body: $0.query ?? "") }
    let first = client.start(search("old"))
    try await holding.hasCome.pass()
    #expect(server.openConnections == 1)
    let second = client.start(search("new"))
    holding.gate.open()
    #expect(await first.error?.cancellation == .superseded)
    #expect(try await second.value.text == "q=new")
  }
}
