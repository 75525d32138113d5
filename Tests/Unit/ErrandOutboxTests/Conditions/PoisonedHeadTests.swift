import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

@Suite(.timeLimit(.minutes(1))) struct PoisonedHeadTests {
  private let harness: OutboxHarness
  private var server: MockServer { harness.server }

  init() throws { harness = try OutboxHarness() }

  @Test(arguments: [400, 500])
  func `a bad request in one of ten lanes delays no other request (posthog-ios 585, amplify-android 2077)`(
    status: Int
  ) async throws {
    server.on("/poison") { _ in .response(status: status) }
    server.on("/good") { _ in .response() }
    let outbox = try await harness.outbox { $0.delivery.maxAttempts = 8 }
    var items: [OutboxItem] = []
    for number in 0..<200 {
      let isPoison = number == 3
      items.append(
        OutboxItem(
          .post(server.url(isPoison ? "/poison" : "/good"), .text("\(number)")), lane: "lane \(number % 10)"))
    }
    let receipts = try await outbox.enqueue(items)
    for number in 0..<200 where number % 10 != 3 {
      #expect(try await receipts[number].outcome().response != nil)
    }
    guard case .deadLettered(let reason, _) = try await receipts[3].outcome() else {
      Issue.record("the bad request did not become a dead letter")
      return
    }
    #expect(reason.contains("\(status)"))
    #expect(status != 500 || reason.hasPrefix("attempted 8 times"))
    try await outbox.waitUntilEmpty()
    #expect(server.count("/good") == 199 && server.count("/poison") == (status == 500 ? 8 : 1))
    let lane = server.requests.filter { $0.path == "/good" }.compactMap { Int($0.text) }.filter {
      $0 % 10 == 3
    }
    #expect(lane == Array(stride(from: 13, to: 200, by: 10)))
    // A dead letter can still be retried.
    server.on("/poison") { _ in .response() }
    try await outbox.retry(OutboxSelection(states: [.deadLettered]))
    try await outbox.waitUntilEmpty()
    #expect(try await outbox.statistics().counts[.delivered] == 200)
    await outbox.close()
  }
}
