import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

@Suite(.timeLimit(.minutes(1))) struct CaptivePortalTests {
  private let lab: OutboxLab
  private var server: MockServer { lab.server }

  init() throws { lab = try OutboxLab() }

  /// A portal that answers in the place of every server.
  private static let pages: [MockAnswer] = [
    .answer(fields: ["Content-Type": "text/html"], body: "<form>please log in</form>"),
    .redirect(302, to: "http://portal.invalid/login"),
    .redirect(307, to: "http://portal.invalid/login"),
    .answer(status: 511, fields: ["Content-Type": "text/html"], body: "<form>please log in</form>"),
  ]

  @Test func `a portal that answers in the server's place empties nothing (pwa-bundle 241)`() async throws {
    let isPortal = Locked((count: 0, isThere: true))
    server.on("/orders") { _ in
      isPortal.withLock { portal in
        portal.count += 1
        if portal.isThere { return Self.pages[portal.count % Self.pages.count] }
        return .answer(status: 201, fields: ["Content-Type": "application/json"], body: "{}")
      }
    }
    let outbox = try await lab.outbox()
    let requests = (0..<10).map { number in
      Request.post(server.url("/orders"), .text("\(number)")).expecting(contentType: "application/json")
    }
    let receipts = try await outbox.enqueue(requests, lane: "orders")
    try await server.waitForRequests(12)
    #expect(try await outbox.statistics().counts[.delivered, default: 0] == 0)
    #expect(try await outbox.statistics().counts[.setAside, default: 0] == 0)
    // Somebody logs in.
    isPortal.withLock { $0.isThere = false }
    for receipt in receipts { #expect(try await receipt.outcome().answer?.status == Status(201)) }
    #expect(server.requests.suffix(10).map(\.text) == (0..<10).map(String.init))
    await outbox.close()
  }
}
