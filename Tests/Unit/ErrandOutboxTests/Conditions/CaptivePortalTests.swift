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

  @Test func `an outbox delivers what its requests accept, and nothing else, also after a restart`()
    async throws
  {
    server.on("/s/*") { request in
      .response(status: Int(request.path.split(separator: "/").last ?? "") ?? 200, body: "page")
    }
    let accepted: [(Int, (Request) -> Request)] = [
      (404, { $0.accepting(200, 404) }), (503, { $0.accepting(400...) }), (500, { $0.acceptingAnyStatus() }),
      (401, { $0.accepting(401) }), (429, { $0.accepting(429) }), (301, { $0.accepting(301) }),
    ]
    let refused: [(Int, (Request) -> Request)] = [
      (200, { $0.accepting(201) }), (200, { $0.accepting(404) }), (204, { $0.accepting([]) }), (404, { $0 }),
    ]
    var outbox = try await harness.outbox { $0.delivers = false }
    let requests = (accepted + refused).map { $1(.post(server.url("/s/\($0)"))) }
    let ids = try await outbox.enqueue(requests).map(\.id)
    await outbox.close()

    outbox = try await harness.outbox { $0.delivery.maxAttempts = 2 }
    var outcomes: [OutboxOutcome] = []
    for id in ids { outcomes.append(try await #require(try await outbox.receipt(for: id)).outcome()) }
    #expect(outcomes.prefix(accepted.count).map { $0.response?.status.code } == accepted.map(\.0))
    let reasons = outcomes.suffix(refused.count).map { outcome -> String in
      if case .deadLettered(let reason, _) = outcome { reason } else { "\(outcome)" }
    }
    #expect(reasons.prefix(3).allSatisfy { $0.hasPrefix("attempted 2 times; the server responded with 20") })
    #expect(reasons[0].contains("instead of 201: a captive portal may have sent it"))
    #expect(reasons[3].hasPrefix("the server responded with 404"))
    await outbox.close()
  }
}
