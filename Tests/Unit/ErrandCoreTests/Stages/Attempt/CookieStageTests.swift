import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCookies
@testable import ErrandCore

/// The cookies of a client on a request's way through the stages.
@Suite struct CookieStageTests {
  private let store = CookieStore()

  private func stage(
    _ change: @escaping (inout ClientConfiguration) -> Void = { _ in },
    _ respond: @escaping @Sendable (StubRequest) -> StubStep
  ) -> Stage {
    Stage.configured { [store] configuration in
      configuration.cookies = store
      configuration.date = { .now }
      change(&configuration)
    }.responding(respond)
  }

  private func sent(_ stage: Stage) -> [String?] { stage.stub.requests.map { $0.fields["Cookie"] } }

  @Test func `a cookie is sent with the next request to its host, and to no other host`() async throws {
    let stage = stage { _ in .response(fields: ["Set-Cookie": "a=1"]) }
    for url in ["http://a.test/", "http://a.test/x", "http://b.test/", "http://sub.a.test/"] {
      try await stage.client.send(.get(url))
    }
    #expect(sent(stage) == [nil, "a=1", nil, nil])
  }

  @Test func `redirects set cookies and are sent the cookies of their own host`() async throws {
    let stage = stage { request in
      switch request.path {
      case "/begin": .response(status: 302, fields: ["Set-Cookie": "a=1", "Location": "/next"])
      case "/next": .response(status: 302, fields: ["Set-Cookie": "b=2", "Location": "http://b.test/end"])
      default: .response()
      }
    }
    try await stage.client.send(.get("http://a.test/begin"))
    #expect(sent(stage) == [nil, "a=1", nil])
    try await stage.client.send(.get("http://a.test/end"))
    #expect(sent(stage).last == "a=1; b=2")
  }

  @Test func `a rejected response sets cookies, too`() async throws {
    let stage = stage { $0.index == 0 ? .response(status: 401, fields: ["Set-Cookie": "a=1"]) : .response() }
    await #expect(throws: RequestError.self) { try await stage.client.send(.get("http://a.test/")) }
    try await stage.client.send(.get("http://a.test/"))
    #expect(sent(stage) == [nil, "a=1"])
  }

  @Test func `a response waits for a cookie file that another process has locked no longer than its call`()
    async throws
  {
    let folder = try TemporaryFolder()
    let lock = open(folder.path("c.jsonl.lock"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    flock(lock, LOCK_EX)
    let store = CookieStore(file: folder.file("c.jsonl"))
    let stage = self.stage {
      $0.cookies = store
    } _: { _ in
      .response(fields: ["Set-Cookie": "a=1; Max-Age=100"])
    }
    let call = stage.client.start(.get("http://a.test/"))
    while store.cookies.isEmpty { await Task.yield() }
    call.cancel()
    #expect(await call.result.requestError?.code == .cancelled)
    close(lock)
    try await store.flush()
    #expect(CookieStore(file: folder.file("c.jsonl")).cookies.map(\.name) == ["a"])
  }

  @Test func `a request with an explicit Cookie field gets no other cookies`() async throws {
    let stage = stage { _ in .response(fields: ["Set-Cookie": "a=1"]) }
    try await stage.client.send(.get("http://a.test/"))
    try await stage.client.send(.get("http://a.test/").field("Cookie", "own=2"))
    #expect(sent(stage) == [nil, "own=2"])
  }

  @Test func `each identity has separate cookies`() async throws {
    let holder = IdentityHolder("alice")
    let stage = stage {
      $0.identity = { holder.name }
    } _: { request in
      .response(fields: request.fields.contains("Cookie") ? [:] : ["Set-Cookie": "n=\(request.index)"])
    }
    try await stage.client.send(.get("http://a.test/"))
    holder.name = "bob"
    try await stage.client.send(.get("http://a.test/"))
    try await stage.client.send(.get("http://a.test/"))
    holder.name = "alice"
    try await stage.client.send(.get("http://a.test/"))
    #expect(sent(stage) == [nil, nil, "n=1", "n=0"])
  }

  @Test func `without a store no cookie is kept`() async throws {
    let stage = stage {
      $0.cookies = nil
    } _: { _ in
      .response(fields: ["Set-Cookie": "a=1"])
    }
    for _ in 0..<2 { try await stage.client.send(.get("http://a.test/")) }
    #expect(sent(stage) == [nil, nil])
  }
}

private final class IdentityHolder: Sendable {
  private let state: Locked<String>
  init(_ name: String) { state = Locked(name) }
  var name: String {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
