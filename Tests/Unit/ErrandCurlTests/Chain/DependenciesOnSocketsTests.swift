import ErrandCore
import ErrandCurl
import ErrandTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct DependenciesOnSocketsTests {
  private let server: MockServer
  private let client = Client(transport: CurlTransport())

  init() throws {
    server = try MockServer()
    server.otherwise { .response(body: $0.path) }
    server.on("/refused") { _ in .response(status: 403) }
    server.on("/stall") { _ in .stall }
  }

  @Test func `a dependent call waits without a slot until its dependencies have succeeded`() async throws {
    client.limits.total = 1
    let gate = ServerGate()
    server.on("/login") { _ in
      gate.pass()
      return .response()
    }
    let login = client.start(.get(server.url("/login")))
    try await server.waitForRequests(1)
    let lists = ["/a", "/b"].map { client.start(.get(server.url($0)).after(login)) }
    let last = client.start(.get(server.url("/last")).after(lists))
    gate.open()
    #expect(try await last.value.text == "/last")
    let paths = server.requests.map(\.path)
    #expect(paths.first == "/login" && paths.last == "/last")
    #expect(Set(paths.dropFirst().dropLast()) == ["/a", "/b"])
    #expect(server.connections.count == 1)
  }

  @Test func `a failed call fails its dependents, whose errors name it, and none of them is sent`()
    async throws
  {
    let refused = client.start(.get(server.url("/refused?token=hush")))
    let second = client.start(.get(server.url("/second")).after(refused))
    let third = client.start(.get(server.url("/third")).after(second))
    let error = await second.error
    #expect(error?.code == .dependencyFailed)
    #expect(error?.reachedServer == false)
    #expect((error?.underlying as? RequestError)?.status == 403)
    #expect(error?.message.contains("/refused") == true)
    #expect(error?.message.contains("hush") == false)
    let behind = await third.error
    #expect(behind?.code == .dependencyFailed)
    #expect(behind?.message.contains("/second") == true)
    try await client.send(.get(server.url("/last")))
    #expect(server.requests.map(\.path) == ["/refused", "/last"])
  }

  @Test func `a cancelled call fails its dependents, and not its own dependencies`() async throws {
    let first = client.start(.get(server.url("/stall")))
    let second = client.start(.get(server.url("/second")).after(first))
    let third = client.start(.get(server.url("/third")).after(second))
    try await server.waitForRequests(1)
    second.cancel()
    #expect(await second.error?.cancellation == .callCancelled)
    #expect(await third.error?.code == .dependencyFailed)
    #expect(first.outcome == nil)
    #expect(server.openConnections == 1)
    first.cancel()
    try await server.waitForOpenConnections(0)
  }

  @Test func `a dependent call waits for the retries of its dependency`() async throws {
    var configuration = ClientConfiguration()
    configuration.retry.backoff = .zero
    let client = Client(transport: CurlTransport(), configuration: configuration)
    server.script("/flaky", [.response(status: 503), .reset, .response()])
    let flaky = client.start(.get(server.url("/flaky")))
    let second = client.start(.get(server.url("/second")).after(flaky))
    #expect(try await second.value.text == "/second")
    #expect(server.requests.map(\.path) == ["/flaky", "/flaky", "/flaky", "/second"])
  }
}
