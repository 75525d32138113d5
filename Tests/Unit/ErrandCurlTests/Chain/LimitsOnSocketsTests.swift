import ErrandCurl
import ErrandTesting
import Testing

@testable import ErrandCore

@Suite(.timeLimit(.minutes(1))) struct LimitsOnSocketsTests {
  private let server: MockServer

  init() throws {
    server = try MockServer()
    server.otherwise { _ in .response() }
    server.on("/stall") { _ in .stall }
  }

  private func reachLoad(_ client: Client, running: Int, waiting: Int) async throws {
    try await reach {
      let load = client.pipeline.slots.load
      return load.running == running && load.waiting == waiting
    }
  }

  @Test func `four requests are in transfer, and the others wait until the limit is raised`() async throws {
    let client = Client(transport: CurlTransport())
    let calls = (0..<12).map { _ in client.start(.get(server.url("/stall"))) }
    try await server.waitForRequests(4)
    try await reachLoad(client, running: 4, waiting: 8)
    #expect(server.requests.count == 4)
    client.limits.perOrigin = 7
    try await server.waitForRequests(7)
    try await reachLoad(client, running: 7, waiting: 5)
    client.limits.perOrigin = 2
    try await reachLoad(client, running: 7, waiting: 5)
    #expect(server.requests.count == 7)
    // Cancels the waiting calls first, because otherwise they would be sent when the others end.
    for call in calls.reversed() { call.cancel() }
    try await reachLoad(client, running: 0, waiting: 0)
    try await server.waitForOpenConnections(0)
  }

  @Test func `hundreds of requests use four slots and no more than four sockets`() async throws {
    let client = Client(transport: CurlTransport())
    let calls = (0..<300).map { client.start(.get(server.url("/\($0)"))) }
    for call in calls { _ = try await call.value }
    #expect(server.requests.count == 300)
    #expect(server.connections.count <= 4)
    #expect(client.pipeline.slots.load == SlotLoad())
  }

  @Test func `each port of an address has separate slots`() async throws {
    let others = try (0..<5).map { _ in try MockServer() }
    for other in others { other.otherwise { _ in .stall } }
    let client = Client(transport: CurlTransport())
    let calls = others.flatMap { other in (0..<5).map { _ in client.start(.get(other.url("/"))) } }
    for other in others { try await other.waitForRequests(4) }
    try await reachLoad(client, running: 20, waiting: 5)
    for call in calls.reversed() { call.cancel() }
    for other in others { try await other.waitForOpenConnections(0) }
  }

  @Test func `an origin at its limit does not delay another`() async throws {
    var curl = CurlConfiguration()
    curl.hostOverrides = ["one.test", "two.test"].map {
      CurlConfiguration.HostOverride(host: $0, port: server.port, address: "127.0.0.1")
    }
    var configuration = ClientConfiguration()
    configuration.limits = ConcurrencyLimits(total: nil, perOrigin: 2)
    let client = Client(transport: CurlTransport(configuration: curl), configuration: configuration)
    func stall(_ host: String) -> Call { client.start(.get("http://\(host):\(server.port)/stall")) }
    let one = (0..<5).map { _ in stall("one.test") }
    try await reachLoad(client, running: 2, waiting: 3)
    let two = (0..<5).map { _ in stall("two.test") }
    try await server.waitForRequests(4)
    try await reachLoad(client, running: 4, waiting: 6)
    let hosts = server.requests.compactMap { $0.fields["Host"]?.prefix(3) }.sorted()
    #expect(hosts == ["one", "one", "two", "two"])
    for call in one + two { call.cancel() }
    try await server.waitForOpenConnections(0)
  }
}
