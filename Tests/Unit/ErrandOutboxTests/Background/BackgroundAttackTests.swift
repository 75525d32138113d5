import ErrandAuthentication
import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

/// Malicious sessions and servers.
@Suite struct BackgroundAttackTests: PhoneSuite {
  let phone: Phone

  init() throws { phone = try Phone() }

  /// Hands a request over, and returns its entry after the session's task for it has ended.
  private func end(_ app: Phone.Process, _ receipt: Receipt) async throws -> OutboxEntry {
    await app.delivery.enterBackground()
    return try await ended(app, receipt)
  }

  private func ended(_ app: Phone.Process, _ receipt: Receipt) async throws -> OutboxEntry {
    try await phone.session.whenQuiet()
    phone.session.hold()
    phone.session.drain()
    await app.delivery.handleEvents()
    return try #require(try await app.outbox.status(of: receipt.id))
  }

  private func request(_ path: String = "/") -> Request { .post(phone.server.url(path), .text("hello")) }

  @Test func `a 200 after a redirect to another origin is not a delivery`() async throws {
    let portal = try MockServer()
    phone.server.on("/") { _ in
      .response(status: 307, fields: ["Location": portal.url("/welcome").absoluteString])
    }
    let app = try await launch()
    let receipt = try await app.outbox.enqueue(request())
    let entry = try await end(app, receipt)
    #expect(portal.count("/welcome") == 1)
    #expect(entry.state != .delivered)
    #expect(entry.reason?.contains("another origin") == true)
  }

  @Test func `a captive portal's page is checked against the expectations of the request`() async throws {
    phone.server.on("/") { _ in .response(fields: ["Content-Type": "text/html"], body: "sign in") }
    let app = try await launch()
    let receipt = try await app.outbox.enqueue(request().expecting(contentType: "application/json"))
    let entry = try await end(app, receipt)
    #expect(entry.state != .delivered)
    #expect(entry.reason?.contains("text/html") == true)
  }

  @Test func `an accepting response of any length is a delivery, and a refusal a dead letter`() async throws {
    phone.server.on("/") { _ in .response(body: Data(repeating: 65, count: 3 << 20)) }
    phone.server.on("/no") { _ in .response(status: 422, body: Data(repeating: 65, count: 3 << 20)) }
    let app = try await launch()
    let receipt = try await app.outbox.enqueue(request())
    let refused = try await app.outbox.enqueue(request("/no"))
    let entry = try await end(app, receipt)
    #expect(entry.state == .delivered)
    #expect((entry.response?.body.count ?? .max) <= 64 << 10)
    #expect(try await app.outbox.status(of: refused.id)?.state == .deadLettered)
  }

  @Test func `ends that are reported twice, for an unknown row, or too late have no effect`() async throws {
    phone.server.script("POST", "/", [.response(status: 503), .response(status: 200)])
    let app = try await launch()
    let receipt = try await app.outbox.enqueue(request())
    let entry = try await end(app, receipt)
    let old = try #require(phone.session.uploads.first).lease
    #expect(entry.attempts == 2)
    for end in [
      SessionEnd.cancelled(hasBegun: true), .failure(.timedOut, message: "late", reachedServer: true),
      .cancelled(hasBegun: false),
    ] {
      phone.session.invent(old, end)
      phone.session.invent(Lease(id: OutboxID(rawValue: "nobody"), number: 7), end)
    }
    phone.session.go()
    let after = try await ended(app, receipt)
    #expect(after.state == .delivered)
    #expect(after.attempts == 2)
    #expect(phone.arrivals.count == 2)
  }

  @Test func `a delivery counts even if it is reported after its task was lost, and the next attempt ends`()
    async throws
  {
    let app = try await launch()
    phone.session.hold()
    let receipt = try await app.outbox.enqueue(request())
    await app.delivery.enterBackground()
    let lease = try #require(phone.session.uploads.first).lease
    phone.session.lose()
    phone.session.drain()
    await app.delivery.handleEvents()
    #expect(phone.session.uploads.count == 2)
    phone.session.invent(
      lease,
      .response(
        SessionResponse(status: 200, fields: [:], url: phone.server.url("/"), method: .post, body: Data())))
    phone.session.drain()
    await app.delivery.handleEvents()
    #expect(try await app.outbox.status(of: receipt.id)?.state == .delivered)
    // The task of the second attempt no longer has a row.
    #expect(phone.session.count == 0)
    #expect(phone.arrivals.isEmpty)
  }

  @Test func `task numbers that belong to other requests after a launch do no harm`() async throws {
    let app = try await launch()
    phone.session.hold()
    var receipts: [Receipt] = []
    for index in 0..<4 {
      receipts.append(try await app.outbox.enqueue(.post(phone.server.url("/"), .text("\(index)"))))
    }
    let ids = receipts.map(\.id)
    receipts = []
    await app.delivery.enterBackground()
    await phone.kill(app)
    phone.session.renumber()
    let again = try await launch()
    phone.session.drain()
    await again.delivery.handleEvents()
    phone.session.go()
    try await phone.session.whenQuiet()
    phone.session.drain()
    await again.delivery.handleEvents()
    for id in ids { #expect(try await again.outbox.status(of: id)?.attempts == 1) }
    #expect(Set(phone.arrivals.map(\.body)) == ["0", "1", "2", "3"] && phone.arrivals.count == 4)
  }

  @Test func `a vanished body file is written again, and the request does not become a dead letter`()
    async throws
  {
    let app = try await launch()
    phone.session.hold()
    let receipt = try await app.outbox.enqueue(request())
    await app.delivery.enterBackground()
    try FileManager.default.removeItem(at: try #require(phone.session.uploads.first?.file))
    phone.session.go()
    let entry = try await ended(app, receipt)
    #expect(entry.state == .attempting)
    #expect(phone.session.uploads.count == 2)
    phone.session.go()
    #expect(try await ended(app, receipt).state == .delivered)
  }

  @Test func `an outdated credential is refreshed, and the request is handed over with the new one`()
    async throws
  {
    struct Token: Authenticator {
      let url: URL
      func authenticate(_ request: Request, with token: String) -> Request { request.field("X-Token", token) }
      func refresh(_ token: String?, _ refresh: CredentialRefresh) async throws -> String {
        try await refresh.send(.post(url)).text
      }
    }
    phone.server.on("/token") { _ in .response(body: "new") }
    phone.server.on("/") { .response(status: $0.fields["X-Token"] == "new" ? 200 : 401) }
    let session = CredentialSession(Token(url: phone.server.url("/token")), credential: "old")
    let origin = phone.server.url
    let app = try await launch(client: { $0.authentication = Authentication(session, at: [origin]) })
    let receipt = try await app.outbox.enqueue(request())
    #expect(try await end(app, receipt).state == .attempting)
    #expect(phone.session.uploads.map { $0.fields["X-Token"] } == ["old", "new"])
    phone.session.go()
    #expect(try await ended(app, receipt).state == .delivered)
    #expect(phone.server.count("/token") == 1)
  }
}
