import ErrandTesting
import Foundation
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

/// Resources and servers that refuse a new credential.
@Suite final class RefusedCredentialTests: Sendable {
  /// Tokens are numbers; `/token` issues the next one.
  private struct Numbers: Authenticator {
    var expires = false
    func authenticate(_ request: Request, with token: Int) -> Request { request.field("X-Token", "\(token)") }
    func isExpired(_ token: Int, at date: Date) -> Bool { expires }
    func refresh(_ token: Int?, _ refresh: CredentialRefresh) async throws -> Int {
      try await Int(refresh.send(.post("https://a.test/token")).text) ?? 0
    }
  }

  private let issued = Locked(0)

  private func nextToken() -> StubStep {
    let number = issued.withLock { number in
      number += 1
      return number
    }
    return .response(body: "\(number)")
  }

  /// - Parameter accepts: True if the server accepts a token for a path.
  private func stage(
    _ method: Numbers = Numbers(), accepts: @escaping @Sendable (_ path: String, _ token: Int) -> Bool
  ) -> Stage {
    let session = CredentialSession(method, credential: 0)
    return Stage.configured { configuration in
      configuration.baseURL = URL(string: "http://a.test")
      configuration.authentication = Authentication(session)
    }.responding { request in
      if request.path == "/token" { return self.nextToken() }
      let token = request.fields["X-Token"].flatMap { Int($0) } ?? -1
      return .response(status: accepts(request.path, token) ? 200 : 401, body: "\(token)")
    }
  }

  private func refreshes(_ stage: Stage) -> Int { stage.paths.count { $0 == "/token" } }

  @Test func `a resource that always responds with 401 causes one refresh, and its 401 is the outcome`()
    async throws
  {
    let stage = stage { path, _ in path != "/never" }
    for number in 0..<20 {
      let error = await #expect(throws: RequestError.self) {
        try await stage.client.send(.get("/never?number=\(number)"))
      }
      #expect(error?.code == .rejected && error?.status == 401)
      let response = try await stage.client.send(.get("/never").acceptingAnyStatus())
      #expect(response.status == 401)
      #expect(try await stage.client.send(.get("/good")).status == 200)
    }
    #expect(refreshes(stage) == 1)
    // The first request was sent twice, and each of the others once.
    #expect(stage.paths.count { $0 == "/never" } == 41)
  }

  @Test func `a 401 is recognized however large its body is`() async throws {
    let stage = Stage.configured { configuration in
      configuration.baseURL = URL(string: "http://a.test")
      configuration.authentication = Authentication(CredentialSession(Numbers(), credential: 0))
    }.responding { request in
      if request.path == "/token" { return self.nextToken() }
      return request.fields["X-Token"] == "1"
        ? .response(body: "in") : .response(status: 401, body: String(repeating: "x", count: 100_000))
    }
    #expect(try await stage.client.send(.get("/x")).text == "in")
    #expect(refreshes(stage) == 1)
  }

  @Test func `a streamed 401 of a resource that always refuses is passed on, too`() async throws {
    let stage = stage { path, _ in path != "/never" }
    for _ in 0..<3 {
      let response = try await stage.client.stream(.get("/never").acceptingAnyStatus())
      #expect(response.status == 401)
      var text = ""
      for try await chunk in response.chunks { text += String(decoding: chunk, as: UTF8.self) }
      #expect(text == "1")
    }
    #expect(refreshes(stage) == 1)
    await stage.expectNothingLeft()
  }

  @Test func `another method or another path may cause a refresh, too`() async throws {
    let stage = stage { _, token in token >= 3 }
    for request in [Request.get("/a"), .delete("/a"), .get("/b")] {
      _ = try? await stage.client.send(request.attempts(1))
    }
    #expect(refreshes(stage) == 3)
    #expect(try await stage.client.send(.get("/b")).text == "3")
  }

  @Test func `a server whose tokens are valid for one request each does not reach the refresh limit`()
    async throws
  {
    let used = Locked<Set<Int>>([])
    let stage = stage { _, token in used.withLock { $0.insert(token).inserted } }
    for _ in 0..<30 { #expect(try await stage.client.send(.get("/x")).status == 200) }
    #expect(refreshes(stage) == 29)
  }

  @Test func `a token that always seems expired is refreshed once, and then the server decides`() async throws
  {
    let stage = stage(Numbers(expires: true)) { _, _ in true }
    for _ in 0..<30 { #expect(try await stage.client.send(.get("/x")).text == "1") }
    #expect(refreshes(stage) == 1)
  }

  @Test func `a server that accepts no token is asked for five`() async throws {
    let stage = stage { _, _ in false }
    for number in 0..<5 {
      let error = await #expect(throws: RequestError.self) { try await stage.client.send(.get("/\(number)")) }
      #expect(error?.status == 401)
    }
    let error = await #expect(throws: RequestError.self) { try await stage.client.send(.get("/5")) }
    #expect(error?.code == .excessiveRefresh)
    #expect(error?.message.hasPrefix("the server found 5 new credentials stale within 30 s") == true)
    #expect(refreshes(stage) == 5)
    await stage.clock.advance(by: .seconds(30))
    await #expect(throws: RequestError.self) { try await stage.client.send(.get("/5")) }
    #expect(refreshes(stage) == 6)
  }

  @Test func `a request that waited for a renewal is sent with the newest token, and may then renew it`()
    async throws
  {
    // Token 1 was renewed by another request, and is stale by the time that this request returns.
    let gate = StubGate()
    let session = CredentialSession(Numbers(), credential: 0)
    let stage = Stage.configured { configuration in
      configuration.baseURL = URL(string: "http://a.test")
      configuration.authentication = Authentication(session)
    }.responding { request in
      if request.path == "/token" { return self.nextToken() }
      let token = request.fields["X-Token"] ?? ""
      if request.path == "/slow" {
        return token == "0"
          ? .response(status: 401).behind(gate) : .response(status: token == "2" ? 200 : 401)
      }
      return .response(status: token == "1" ? 200 : 401)
    }
    let slow = stage.client.start(.get("/slow"))
    try await stage.stub.waitForRequests(1)
    #expect(try await stage.client.send(.get("/quick")).status == 200)
    gate.open()
    #expect(try await slow.result.get().status == 200)
    #expect(
      stage.stub.requests.filter { $0.path == "/slow" }.map { $0.fields["X-Token"] } == ["0", "1", "2"])
  }

  /// An authenticator whose user sends another request before each use of a token.
  private final class Lucky: Authenticator {
    let client = Locked<Client?>(nil)
    func authenticate(_ request: Request, with token: Int) async throws -> Request {
      if request.url?.query == "unlucky", let client = client.withLock({ $0 }) {
        _ = try await client.send(.get("/x?lucky"))
      }
      return request
    }
    func refresh(_ token: Int?, _ refresh: CredentialRefresh) -> Int { (token ?? 0) + 1 }
  }

  @Test func `a request is sent at most five times, however many other requests a new token helps`()
    async throws
  {
    let method = Lucky()
    let stage = Stage.configured { configuration in
      configuration.baseURL = URL(string: "http://a.test")
      configuration.authentication = Authentication(CredentialSession(method, credential: 0))
    }.responding { .response(status: $0.url.absoluteString.hasSuffix("/x?lucky") ? 200 : 401) }
    method.client.withLock { $0 = stage.client }
    await #expect(throws: RequestError.self) { try await stage.client.send(.get("/x?unlucky")) }
    #expect(
      stage.stub.requests.count { $0.url.absoluteString.hasSuffix("/x?unlucky") } == RefusalRecord.limit)
    method.client.withLock { $0 = nil }
  }

  @Test func `clients of one session measure time by the same clock, whenever they were created`()
    async throws
  {
    let session = CredentialSession(Numbers(), credential: 0)
    func client(_ clock: VirtualClock) -> (Client, StubTransport) {
      let stub = StubTransport(clock: clock) { request in
        request.path == "/token" ? self.nextToken() : .response(status: 401)
      }
      var configuration = ClientConfiguration()
      configuration.clock = clock
      configuration.baseURL = URL(string: "http://a.test")
      configuration.authentication = Authentication(session)
      return (Client(transport: stub, configuration: configuration), stub)
    }
    let clock = VirtualClock()
    let first = client(clock)
    _ = try? await first.0.send(.get("/0"))
    await clock.advance(by: .seconds(1000))
    // The second client's timeline begins now.
    let second = client(clock)
    for number in 1...4 { _ = try? await second.0.send(.get("/\(number)")) }
    #expect(issued.withLock { $0 } == 5)
    _ = try? await second.0.send(.get("/5"))
    #expect(issued.withLock { $0 } == 6, "The first one was long ago.")
  }
}
