import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

@Suite(.timeLimit(.minutes(1))) struct CaptivePortalTests {
  private let harness: OutboxHarness
  private var server: MockServer { harness.server }

  init() throws { harness = try OutboxHarness() }

  /// The responses of a captive portal, which intercepts requests to every server.
  private static let pages: [MockResponse] = [
    .response(fields: ["Content-Type": "text/html"], body: "<form>please log in</form>"),
    .redirect(302, to: "http://portal.invalid/login"),
    .redirect(307, to: "http://portal.invalid/login"),
    .response(status: 511, fields: ["Content-Type": "text/html"], body: "<form>please log in</form>"),
  ]

  @Test func `an outbox delivers nothing to a captive portal (pwa-bundle 241)`() async throws {
    let isPortal = Locked((count: 0, isThere: true))
    server.on("/orders") { _ in
      isPortal.withLock { portal in
        portal.count += 1
        if portal.isThere { return Self.pages[portal.count % Self.pages.count] }
        return .response(status: 201, fields: ["Content-Type": "application/json"], body: "{}")
      }
    }
    let outbox = try await harness.outbox()
    let requests = (0..<10).map { number in
      Request.post(server.url("/orders"), .text("\(number)")).expecting(contentType: "application/json")
    }
    let receipts = try await outbox.enqueue(requests, lane: "orders")
    try await server.waitForRequests(12)
    #expect(try await outbox.statistics().counts[.delivered, default: 0] == 0)
    #expect(try await outbox.statistics().counts[.deadLettered, default: 0] == 0)
    // The user logs in.
    isPortal.withLock { $0.isThere = false }
    for receipt in receipts { #expect(try await receipt.outcome().response?.status == HTTPStatus(201)) }
    #expect(server.requests.suffix(10).map(\.text) == (0..<10).map(String.init))
    await outbox.close()
  }
}
