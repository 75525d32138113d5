import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct KeptAnswersOnSocketsTests {
  /// A calendar that is turned by hand.
  private final class Calendar: Sendable {
    private let date = Locked(Date(timeIntervalSince1970: 1_000_000))
    var now: Date { date.withLock { $0 } }
    func advance(by seconds: Double) { date.withLock { $0 += seconds } }
  }

  private let server: MockServer
  private let client: Client
  private let calendar = Calendar()

  init() throws {
    server = try MockServer()
    server.on("/feed") { .answer(body: "feed \($0.index + 1)") }
    var configuration = ClientConfiguration()
    configuration.retry = .never
    configuration.date = { [calendar] in calendar.now }
    client = Client(transport: CurlTransport(), configuration: configuration)
  }

  private func feed(_ policy: KeepPolicy) -> Request {
    Request.get(server.url("/feed")).kept(as: "feed", policy)
  }

  /// The text of an answer, and whether it was kept.
  private func seen(_ response: Response) -> String {
    response.text + (response.keptAt == nil ? "" : " (kept)")
  }

  private func send(_ policy: KeepPolicy) async throws -> String { seen(try await client.send(feed(policy))) }

  @Test func `network only always asks, and keeps what comes for the others`() async throws {
    #expect(try await send(.networkOnly) == "feed 1")
    #expect(try await send(.networkOnly) == "feed 2")
    #expect(try await send(.first) == "feed 2 (kept)")
    #expect(server.requests.count == 2)
  }

  @Test func `kept first asks once, and again when it was removed`() async throws {
    #expect(try await send(.first) == "feed 1")
    for _ in 0..<3 { #expect(try await send(.first) == "feed 1 (kept)") }
    try await client.removeKeptAnswer(to: feed(.first))
    #expect(try await send(.first) == "feed 2")
    #expect(server.requests.count == 2)
  }

  @Test func `kept, then refreshed brings both in this order`() async throws {
    var answers: [String] = []
    for try await answer in client.answers(to: feed(.thenRefreshed)) { answers.append(seen(answer)) }
    #expect(answers == ["feed 1"])
    for try await answer in client.answers(to: feed(.thenRefreshed)) { answers.append(seen(answer)) }
    #expect(answers == ["feed 1", "feed 1 (kept)", "feed 2"])
    #expect(server.requests.count == 2)
  }

  @Test func `what is kept comes while the server is still silent, and letting go calls it off`() async throws
  {
    _ = try await send(.first)
    server.on("/feed") { _ in .stall }
    for try await answer in client.answers(to: feed(.thenRefreshed)) {
      #expect(seen(answer) == "feed 1 (kept)")
      try await server.waitForRequests(2)
      break
    }
    try await server.waitForOpenConnections(0)
  }

  @Test func `kept, then refreshed gives the failure behind what is kept`() async throws {
    _ = try await send(.first)
    server.on("/feed") { _ in .answer(status: 500) }
    var answers: [String] = []
    let error = await #expect(throws: RequestError.self) {
      for try await answer in client.answers(to: feed(.thenRefreshed)) { answers.append(seen(answer)) }
    }
    #expect(answers == ["feed 1 (kept)"])
    #expect(error?.status == 500)
  }

  @Test func `one call with kept, then refreshed gets what is kept, and the next the new one`() async throws {
    _ = try await send(.first)
    #expect(try await send(.thenRefreshed) == "feed 1 (kept)")
    try await server.waitForRequests(2)
    while try await send(.first) != "feed 2 (kept)" { try Task.checkCancellation() }
    #expect(server.requests.count == 2)
  }

  @Test func `on failure what is kept answers for a server in trouble or gone, and for no other`()
    async throws
  {
    #expect(try await send(.onFailure) == "feed 1")
    for trouble in [MockAnswer.answer(status: 503), .reset, .close] {
      server.on("/feed") { _ in trouble }
      #expect(try await send(.onFailure) == "feed 1 (kept)")
    }
    server.on("/feed") { _ in .answer(status: 404) }
    let error = await #expect(throws: RequestError.self) { try await send(.onFailure) }
    #expect(error?.status == 404)
    server.stop()
    #expect(try await send(.onFailure) == "feed 1 (kept)")
  }

  @Test func `what is younger than asked for answers, and what is not is asked for again`() async throws {
    let policy = KeepPolicy.youngerThan(.seconds(60))
    #expect(try await send(policy) == "feed 1")
    calendar.advance(by: 59)
    #expect(try await send(policy) == "feed 1 (kept)")
    calendar.advance(by: 1)
    #expect(try await send(policy) == "feed 2")
    #expect(server.requests.count == 2)
  }

  @Test func `two users never get each other's answer`() async throws {
    server.on("/me") { .answer(body: $0.fields["Authorization"] ?? "nobody") }
    let me = Request.get(server.url("/me")).kept(as: "me")
    for _ in 0..<2 {
      #expect(try await client.send(me.bearer("a")).text == "Bearer a")
      #expect(try await client.send(me.bearer("b")).text == "Bearer b")
      #expect(try await client.send(me).text == "nobody")
    }
    #expect(server.requests.count == 3)
    server.stop()
    await #expect(throws: RequestError.self) {
      try await client.send(me.bearer("c").kept(as: "me", .onFailure))
    }
  }
}
