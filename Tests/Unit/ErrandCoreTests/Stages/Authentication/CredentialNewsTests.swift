import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

/// Changes that another process stores: two sessions that share a store know as little of each other as two
/// processes.
@Suite final class CredentialNewsTests: Sendable {
  /// The token is the user's name, which never becomes stale.
  private struct Names: Authenticator {
    func authenticate(_ request: Request, with name: String) -> Request { request.field("X-User", name) }
    func refresh(_ name: String?, _ refresh: CredentialRefresh) async throws -> String {
      throw CredentialRejected(reason: "there is nothing to refresh")
    }
  }

  /// A store in memory, like one that an app might write, with or without versions.
  private final class MemoryStore: CredentialStore {
    struct Failure: Error {}
    private let data = Locked<Data?>(nil)
    private let reads = Locked(0)
    private let lock: CredentialFile
    let fails = Locked(false)

    init(_ folder: TemporaryFolder) { lock = CredentialFile(at: folder.file("lock")) }

    var readCount: Int { reads.withLock { $0 } }
    func read() -> Data? {
      reads.withLock { $0 += 1 }
      return data.withLock { $0 }
    }
    func write(_ new: Data) throws {
      if fails.withLock({ $0 }) { throw Failure() }
      data.withLock { $0 = new }
    }
    func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
      try await lock.exclusively(body)
    }
  }

  private let folder: TemporaryFolder
  private let file: CredentialFile
  private let gate = StubGate()

  init() throws {
    folder = try TemporaryFolder()
    file = CredentialFile(at: folder.file("credential"))
  }

  private func session() -> CredentialSession<Names> { CredentialSession(Names(), store: file) }

  private func stage(
    _ session: CredentialSession<Names>,
    _ handler: @escaping StubTransport.Handler = { .response(body: "of \($0.fields["X-User"] ?? "none")") }
  ) -> Stage {
    Stage.configured { configuration in
      configuration.baseURL = URL(string: "http://a.test/")
      configuration.authentication = Authentication(session)
    }.responding(handler)
  }

  private func error(of request: Request, _ stage: Stage) async -> RequestError? {
    await #expect(throws: RequestError.self) { try await stage.client.send(request) }
  }

  @Test func `a session that was signed out sees another session's sign-in at its first request`()
    async throws
  {
    let (one, two) = (session(), session())
    try await one.signIn("alice", identity: "alice")
    let stage = stage(two)
    #expect(try await stage.client.send(.get("x")).text == "of alice")
    try await two.signOut()
    #expect(await error(of: .get("x"), stage)?.code == .signedOut)
    #expect(await error(of: .get("x"), stage)?.code == .signedOut)
    for name in ["bob", "alice"] {
      try await one.signIn(name, identity: name)
      #expect(try await stage.client.send(.get("x")).text == "of \(name)")
      try await two.signOut()
    }
    #expect(stage.stub.requests.count == 3)
  }

  @Test func `a refresh that the server rejected for good does not outlast another session's sign-in`()
    async throws
  {
    let (one, two) = (session(), session())
    try await one.signIn("alice", identity: "alice")
    let stage = stage(two) { request in
      request.fields["X-User"] == "alice" ? .response(status: 401) : .response(body: "of bob")
    }
    #expect(await error(of: .get("x"), stage)?.code == .signedOut)
    #expect(await error(of: .get("x"), stage)?.code == .signedOut)
    try await one.signIn("bob", identity: "bob")
    #expect(try await stage.client.send(.get("x")).text == "of bob")
  }

  @Test func `a sign-out by another process is noticed before the next request is sent`() async throws {
    let (one, two) = (session(), session())
    try await one.signIn("alice", identity: "alice")
    let stage = stage(two) { [gate] request in
      request.path == "/slow" ? .response().behind(gate) : .response(body: "of alice")
    }
    #expect(try await stage.client.send(.get("x")).text == "of alice")
    let slow = stage.client.start(.get("slow"))
    try await stage.stub.waitForRequests(2)
    try await one.signOut()
    #expect(await error(of: .get("x"), stage)?.code == .signedOut)
    #expect(await slow.result.requestError?.cancellation == .signedOut, "It was in flight.")
    #expect(stage.stub.requests.count == 2)
    #expect(try await stage.client.send(Request.get("x").unauthenticated()).status == 200)
    gate.open()
  }

  @Test func `a call is not sent for an identity that another process signed in meanwhile`() async throws {
    let (one, two) = (session(), session())
    try await one.signIn("alice", identity: "alice")
    let stage = stage(two)
    for request in [Request.get("x"), .get("feed").cached(as: "feed", .networkOnly), .get("x").shared()] {
      #expect(try await stage.client.send(request).text == "of alice")
      try await one.signIn("bob", identity: "bob")
      #expect(await error(of: request, stage)?.cancellation == .signedOut)
      #expect(try await stage.client.send(request).text == "of bob")
      try await one.signIn("alice", identity: "alice")
      #expect(await error(of: request, stage)?.cancellation == .signedOut)
    }
    #expect(stage.stub.requests.count == 6)
  }

  @Test func `a call that waits for its next attempt is not sent after a sign-out by another process`()
    async throws
  {
    let (one, two) = (session(), session())
    try await one.signIn("alice", identity: "alice")
    let stage = stage(two) { _ in .response(status: 503) }
    var policy = RetryPolicy.attempts(3)
    policy.backoff = .seconds(10)
    let call = stage.client.start(.get("x").retry(policy))
    try await stage.stub.waitForRequests(1)
    while stage.clock.sleepers == 0 { await Task.yield() }
    try await one.signOut()
    while stage.client.pipeline.inFlight.count > 0 {
      await stage.clock.advance(by: .seconds(10))
      await Task.yield()
    }
    #expect(await call.result.requestError?.code == .signedOut)
    #expect(stage.stub.requests.count == 1)
  }

  @Test func `a credential that another process has renewed is used before a server refuses the old one`()
    async throws
  {
    let (one, two) = (session(), session())
    try await one.signIn("alice 1", identity: "alice")
    let stage = stage(two) { [gate] request in
      request.path == "/slow"
        ? .response(body: "slow").behind(gate) : .response(body: request.fields["X-User"] ?? "")
    }
    #expect(try await stage.client.send(.get("x")).text == "alice 1")
    let slow = stage.client.start(.get("slow"))
    try await stage.stub.waitForRequests(2)
    try await one.signIn("alice 2", identity: "alice")
    #expect(try await stage.client.send(.get("x")).text == "alice 2")
    gate.open()
    #expect(await slow.result.text == "slow", "It has the same identity.")
  }

  @Test
  func
    `an outbox knows the identity for which it keeps a request, and notices its sign-in by another process`()
    async throws
  {
    let (one, two) = (session(), session())
    let stage = stage(two)
    let signIns = Locked(0)
    let listener = two.onSignIn { signIns.withLock { $0 += 1 } }
    let get = Request.get("http://a.test/x")
    func digest() async throws -> String? { try await stage.client.identityDigest(of: get) }
    for name in ["alice", "bob"] {
      try await one.signIn(name, identity: name)
      #expect(try await digest() == CredentialIdentity(named: name).digest)
    }
    try await one.signOut()
    #expect(try await digest() == nil)
    try await one.signIn("alice", identity: "alice")
    #expect(try await digest() == CredentialIdentity(named: "alice").digest)
    #expect(signIns.withLock { $0 } == 2, "The first one was found at the start.")
    withExtendedLifetime(listener) {}
  }

  @Test func `a sign-out that could not be stored is not undone by the stored credential`() async throws {
    let store = MemoryStore(folder)
    let (one, two) = (CredentialSession(Names(), store: store), CredentialSession(Names(), store: store))
    try await one.signIn("alice", identity: "alice")
    let stage = stage(two)
    store.fails.withLock { $0 = true }
    await #expect(throws: MemoryStore.Failure.self) { try await two.signOut() }
    for _ in 0..<3 {
      await stage.clock.advance(by: .seconds(2))
      #expect(await error(of: .get("x"), stage)?.code == .signedOut)
    }
    store.fails.withLock { $0 = false }
    try await one.signIn("bob", identity: "bob")
    await stage.clock.advance(by: .seconds(2))
    #expect(try await stage.client.send(.get("x")).text == "of bob")
  }

  @Test func `a store without versions is read once a second`() async throws {
    let store = MemoryStore(folder)
    let (one, two) = (CredentialSession(Names(), store: store), CredentialSession(Names(), store: store))
    try await one.signIn("alice", identity: "alice")
    let stage = stage(two)
    try await stage.client.send(.get("x"))
    let reads = store.readCount
    for _ in 0..<20 { try await stage.client.send(.get("x")) }
    #expect(store.readCount == reads)
    try await one.signOut()
    await stage.clock.advance(by: .milliseconds(999))
    #expect(try await stage.client.send(.get("x")).text == "of alice")
    await stage.clock.advance(by: .milliseconds(1))
    #expect(await error(of: .get("x"), stage)?.code == .signedOut)
    #expect(store.readCount == reads + 2, "The sign-out caused one more.")
  }

  @Test func `a sign-in after the file was removed is noticed, however many versions there were before`()
    async throws
  {
    let (one, two) = (session(), session())
    for _ in 0..<5 { try await one.signIn("alice", identity: "alice") }
    let stage = stage(two)
    #expect(try await stage.client.send(.get("x")).text == "of alice")
    unlink(folder.path("credential"))
    let three = session()
    try await three.signIn("carl", identity: "carl")
    // The call was made for alice.
    #expect(await error(of: .get("x"), stage)?.cancellation == .signedOut)
    #expect(try await stage.client.send(.get("x")).text == "of carl")
  }

  /// Tokens are numbers, and a refresh issues the next one.
  private final class Numbers: Authenticator {
    let refreshes = Locked(0)
    func authenticate(_ request: Request, with token: Int) -> Request { request.field("X-Token", "\(token)") }
    func refresh(_ token: Int?, _ refresh: CredentialRefresh) -> Int {
      refreshes.withLock { $0 += 1 }
      return (token ?? 0) + 1
    }
  }

  /// The same store, whose operations are delayed as by a lock.
  private final class HeldUp: CredentialStore {
    private let store: MemoryStore
    private let gate: StubGate
    let passed = Locked((begun: 0, ended: 0))
    init(_ store: MemoryStore, _ gate: StubGate) { (self.store, self.gate) = (store, gate) }
    func read() -> Data? { store.read() }
    func write(_ new: Data) throws { try store.write(new) }
    func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
      passed.withLock { $0.begun += 1 }
      defer { passed.withLock { $0.ended += 1 } }
      try await gate.pass()
      return try await store.exclusively(body)
    }
  }

  @Test func `a renewal does not replace a credential that was stored and read while it waited`() async throws
  {
    let store = MemoryStore(folder)
    let held = HeldUp(store, gate)
    let (mine, other) = (Numbers(), CredentialSession(Numbers(), store: store))
    try await other.signIn(1, identity: "alice")
    let stage = Stage.configured { configuration in
      configuration.baseURL = URL(string: "http://a.test/")
      configuration.authentication = Authentication(CredentialSession(mine, store: held))
    }.responding {
      .response(status: $0.fields["X-Token"] == "1" ? 401 : 200, body: $0.fields["X-Token"] ?? "")
    }
    let call = stage.client.start(.get("a"))
    while held.passed.withLock({ $0.begun }) == 0 { await Task.yield() }
    try await other.signIn(5, identity: "alice")
    await stage.clock.advance(by: .seconds(2))
    #expect(try await stage.client.send(.get("b")).text == "5")
    #expect(try await call.value.text == "5")
    gate.open()
    while held.passed.withLock({ $0.ended }) == 0 { await Task.yield() }
    #expect(mine.refreshes.withLock { $0 } == 0)
    #expect(try await stage.client.send(.get("c")).text == "5")
  }

  @Test func `an unchanged file is not read again`() async throws {
    let (one, two) = (session(), session())
    try await one.signIn("alice", identity: "alice")
    let stage = stage(two)
    try await stage.client.send(.get("x"))
    let timeline = Timeline(stage.clock)
    #expect(two.isPrepared(on: timeline))
    chmod(folder.path("credential"), 0o000)
    #expect(two.isPrepared(on: timeline), "Its content is the same.")
    // If it cannot be read, the last known credential is used.
    unlink(folder.path("credential"))
    #expect(!two.isPrepared(on: timeline))
    #expect(try await stage.client.send(.get("x")).text == "of alice")
  }

  @Test func `a cancelled call does not wait for a store that hangs`() async throws {
    final class Hanging: CredentialStore {
      let gate: StubGate
      init(_ gate: StubGate) { self.gate = gate }
      func read() async throws -> Data? {
        try await gate.pass()
        return nil
      }
      func write(_ data: Data) {}
      func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await body()
      }
    }
    let stage = stage(CredentialSession(Names(), store: Hanging(gate)))
    let call = stage.client.start(.get("x"))
    await Task.yield()
    call.cancel()
    #expect(await call.result.requestError?.code == .cancelled)
    gate.open()
  }
}
