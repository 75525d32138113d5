import ErrandAuthentication
import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox

/// An outbox whose client has a credential, which is added to each attempt and never stored.
@Suite(.timeLimit(.minutes(1))) struct SignInTests {
  private struct Token: Authenticator {
    func authenticate(_ request: Request, with token: String) -> Request { request.bearer(token) }

    func refresh(_ token: String?, _ refresh: CredentialRefresh) throws -> String {
      throw CredentialRejected(reason: "the token has expired")
    }
  }

  private let harness: OutboxHarness
  private let session = CredentialSession(Token(), credential: "old-token", identity: "alice")

  init() throws {
    harness = try OutboxHarness()
    harness.server.on("/") { request in
      .response(status: request.fields["Authorization"] == "Bearer new-token" ? 200 : 401)
    }
  }

  private func outbox() async throws -> Outbox {
    let client = harness.client { [session, harness] configuration in
      configuration.authentication = Authentication(session, at: [harness.server.url("/")])
    }
    // No poll ends the wait for a sign-in.
    return try await harness.outbox(client) {
      $0.pollInterval = .seconds(3600)
      $0.delivery.maxBackoff = .seconds(3600)
    }
  }

  @Test(.onlyOnSQLite)
  func `requests of an identity that has to sign in again wait for it, and then continue`() async throws {
    let outbox = try await outbox()
    let receipts = try await outbox.enqueue((0..<5).map { .post(harness.server.url("/"), .text("\($0)")) })
    // A hold ends by itself after a while, and the next attempt begins another.
    var found: HeldOrigin?
    try await waitUntil {
      found = try await outbox.heldOrigins().first
      return found != nil
    }
    let hold = try #require(found)
    #expect(hold.kind == .unauthorized)
    #expect(hold.reason.contains("the token has expired"))
    #expect(try await outbox.statistics().counts[.deadLettered, default: 0] == 0)
    try await session.signIn("new-token", identity: "alice")
    for receipt in receipts { #expect(try await receipt.outcome().response?.status == 200) }
    #expect(Set(harness.keys()).count == 5)
    await outbox.close()
    let bytes = try FileManager.default.subpathsOfDirectory(atPath: harness.folder.path).map {
      (try? Data(contentsOf: harness.folder.appending(path: $0))) ?? Data()
    }
    #expect(!bytes.contains { $0.firstRange(of: Data("-token".utf8)) != nil })
  }

  @Test func `an identity that signs out keeps its requests`() async throws {
    try await session.signIn("new-token", identity: "alice")
    let outbox = try await outbox()
    _ = try await outbox.enqueue(.post(harness.server.url("/"), .text("0"))).outcome()
    try await session.signOut()
    let receipt = try await outbox.enqueue(.post(harness.server.url("/"), .text("1")))
    try await waitUntil { try await !outbox.heldOrigins().isEmpty }
    #expect(harness.server.requests.count == 1)
    try await session.signIn("new-token", identity: "alice")
    #expect(try await receipt.outcome().response?.status == 200)
    await outbox.close()
  }

  // MARK: Several identities

  /// Returns the tokens with which each request was sent, by its text.
  private func accept(_ tokens: [String]) {
    harness.server.on("/") { request in
      let token = request.fields["Authorization"] ?? "none"
      return .response(status: tokens.contains { token == "Bearer \($0)" } ? 200 : 401)
    }
  }

  private var sent: [String] {
    harness.server.requests.map { "\($0.text) as \($0.fields["Authorization"] ?? "nobody")" }
  }

  private func post(_ text: String) -> Request { .post(harness.server.url("/"), .text(text)) }

  @Test func `a request of one identity is not sent for another, and waits for its own`() async throws {
    accept(["bobs-token", "new-token"])
    let outbox = try await outbox()
    let first = try await outbox.enqueue(post("of alice"))
    try await waitUntil { try await !outbox.heldOrigins().isEmpty }
    try await session.signIn("bobs-token", identity: "bob")
    let second = try await outbox.enqueue(post("of bob"))
    #expect(try await second.outcome().response?.status == 200)
    try await waitUntil { try await first.status()?.reason?.contains("another is signed in") == true }
    let state = try await first.status()?.state
    #expect(state == .stored || state == .attempting)
    try await session.signOut()
    try await session.signIn("new-token", identity: "alice")
    #expect(try await first.outcome().response?.status == 200)
    #expect(
      sent == ["of alice as Bearer old-token", "of bob as Bearer bobs-token", "of alice as Bearer new-token"])
    await outbox.close()
  }

  @Test func `waiting for an identity is not an attempt, and holds nothing`() async throws {
    accept(["bobs-token", "new-token"])
    try await session.signIn("new-token", identity: "alice")
    let outbox = try await harness.outbox(
      harness.client { [session, harness] in
        $0.authentication = Authentication(session, at: [harness.server.url("/")])
      }
    ) { $0.delivery.maxAttempts = 2 }
    _ = try await outbox.enqueue(post("first")).outcome()
    try await session.signOut()
    harness.server.on("/") { _ in .response(status: 503) }
    try await session.signIn("new-token", identity: "alice")
    let receipt = try await outbox.enqueue(post("of alice"))
    try await harness.server.waitForRequests(2)
    try await session.signIn("bobs-token", identity: "bob")
    accept(["bobs-token", "new-token"])
    try await waitUntil { try await receipt.status().map { $0.attempts >= 8 } ?? false }
    #expect(try await outbox.heldOrigins().isEmpty)
    try await session.signIn("new-token", identity: "alice")
    #expect(try await receipt.outcome().response?.status == 200)
    #expect(!sent.contains { $0.contains("of alice as Bearer bobs") })
    await outbox.close()
  }

  @Test func `a request is kept for its identity across launches, too`() async throws {
    accept(["bobs-token", "new-token"])
    let folder = try TemporaryFolder()
    let file = CredentialFile(at: folder.file("credential"))
    for (number, name) in ["alice", "bob", "alice"].enumerated() {
      let session = CredentialSession(Token(), store: file)
      try await session.signIn(name == "bob" ? "bobs-token" : "new-token", identity: name)
      // A session that has not read its store yet.
      let later = CredentialSession(Token(), store: file)
      let client = harness.client { [harness] in
        $0.authentication = Authentication(later, at: [harness.server.url("/")])
      }
      let outbox = try await harness.outbox(client) { $0.delivers = number > 0 }
      if number == 0 {
        _ = try await outbox.enqueue([post("of alice")])
        await outbox.close()
        continue
      }
      _ = try await outbox.enqueue(post("of \(name)")).outcome()
      if number == 2 { try await harness.server.waitForRequests(3) }
      await outbox.close()
    }
    #expect(
      Set(sent) == ["of bob as Bearer bobs-token", "of alice as Bearer new-token"])
    #expect(sent.count == 3)
  }

  @Test func `a request that was enqueued without an identity is sent for the next one that signs in`()
    async throws
  {
    accept(["bobs-token"])
    try await session.signOut()
    let outbox = try await outbox()
    let receipt = try await outbox.enqueue(post("of nobody"))
    try await session.signIn("bobs-token", identity: "bob")
    #expect(try await receipt.outcome().response?.status == 200)
    await outbox.close()
  }

  @Test(.onlyOnSQLite) func `the name of an identity is not stored`() async throws {
    accept(["new-token"])
    try await session.signIn("new-token", identity: "alice-of-wonderland")
    let outbox = try await harness.outbox(
      harness.client { [session, harness] in
        $0.authentication = Authentication(session, at: [harness.server.url("/")])
      }
    ) { $0.delivers = false }
    try await outbox.enqueue(post("x"))
    await outbox.close()
    let bytes = try FileManager.default.subpathsOfDirectory(atPath: harness.folder.path).map {
      (try? Data(contentsOf: harness.folder.appending(path: $0))) ?? Data()
    }
    #expect(!bytes.contains { $0.firstRange(of: Data("wonderland".utf8)) != nil })
  }

  @Test func `a credential that cannot be read is an error, and nothing is stored`() async throws {
    struct Broken: CredentialStore {
      struct Failure: Error {}
      func read() async throws -> Data? { throw Failure() }
      func write(_ data: Data) async throws { throw Failure() }
      func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        throw Failure()
      }
    }
    let session = CredentialSession(Token(), store: Broken())
    let outbox = try await harness.outbox(
      harness.client { [harness] in
        $0.authentication = Authentication(session, at: [harness.server.url("/")])
      })
    let error = await #expect(throws: OutboxError.self) { try await outbox.enqueue(post("x")) }
    #expect(error?.message.contains("credential cannot be read") == true)
    #expect(try await outbox.statistics().counts.isEmpty)
    await outbox.close()
  }
}
