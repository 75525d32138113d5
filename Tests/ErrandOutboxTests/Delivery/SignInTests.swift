import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox

/// An outbox whose client has a credential: it is added to each attempt, and never stored.
@Suite(.timeLimit(.minutes(1))) struct SignInTests {
  private struct Token: Authenticator {
    func authenticate(_ request: Request, with token: String) -> Request { request.bearer(token) }

    func refresh(_ token: String?, _ refresh: CredentialRefresh) throws -> String {
      throw CredentialRejected(reason: "the token has expired")
    }
  }

  private let harness: OutboxHarness
  private let session = CredentialSession(Token(), credential: "old-token")

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

  @Test func `requests of an identity that has to sign in again wait for it, and then go on`() async throws {
    let outbox = try await outbox()
    let receipts = try await outbox.enqueue((0..<5).map { .post(harness.server.url("/"), .text("\($0)")) })
    // A hold ends by itself after a while, and the next attempt begins another.
    var found: HeldOrigin?
    while found == nil {
      found = try await outbox.heldOrigins().first
      try await Task.sleep(for: .milliseconds(5))
    }
    let hold = try #require(found)
    #expect(hold.kind == .unauthorized)
    #expect(hold.reason.contains("the token has expired"))
    #expect(try await outbox.statistics().counts[.deadLettered, default: 0] == 0)
    try await session.signIn("new-token")
    for receipt in receipts { #expect(try await receipt.outcome().response?.status == 200) }
    #expect(Set(harness.keys()).count == 5)
    await outbox.close()
    let bytes = try FileManager.default.subpathsOfDirectory(atPath: harness.folder.path).map {
      (try? Data(contentsOf: harness.folder.appending(path: $0))) ?? Data()
    }
    #expect(!bytes.contains { $0.firstRange(of: Data("-token".utf8)) != nil })
  }

  @Test func `an identity that signs out keeps its requests`() async throws {
    try await session.signIn("new-token")
    let outbox = try await outbox()
    _ = try await outbox.enqueue(.post(harness.server.url("/"), .text("0"))).outcome()
    try await session.signOut()
    let receipt = try await outbox.enqueue(.post(harness.server.url("/"), .text("1")))
    while try await outbox.heldOrigins().isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    #expect(harness.server.requests.count == 1)
    try await session.signIn("new-token")
    #expect(try await receipt.outcome().response?.status == 200)
    await outbox.close()
  }
}
