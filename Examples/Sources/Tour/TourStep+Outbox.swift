import Errand
import ErrandTesting
import Foundation
import Synchronization

extension TourStep {
  static let serverAway = TourStep(
    "A request is stored while its server is down, and delivered when the server is back"
  ) {
    stage in
    let port = stage.server.port
    stage.server.stop()
    let outbox = try await stage.outbox()
    let receipt = try await outbox.enqueue(.post("http://127.0.0.1:\(port)/orders", .text("one pizza")))
    for await event in receipt.events {
      guard case .failed(let reason, _) = event.step else { continue }
      stage.client("stored; then: \(reason)")
      break
    }
    let back = try MockServer(port: port)
    defer { back.stop() }
    back.on("POST", "/orders") { _ in .response(status: 201) }
    let outcome = try await receipt.outcome()
    let attempts = try await receipt.status()?.attempts ?? 0
    stage.client("delivered: \(outcome.response.map { "\($0.status)" } ?? "no"), after \(attempts) attempts")
    stage.server("is back, and received \(back.requests.map(\.text))")
    stage.promise("it arrives once", back.requests.map(\.text) == ["one pizza"] && attempts > 1)
    await outbox.close()
  }

  static let nextLaunch = TourStep("The next process delivers an unfinished request, with the same key") {
    stage in
    stage.server.script("/orders", [.stall, .response(status: 201)])
    let first = try await stage.outbox()
    let id = try await first.enqueue(.post(stage.server.url("/orders"), .text("one pizza"))).id
    try await stage.server.wait(for: "the order") { $0.requests.first?.isComplete ?? false }
    await first.close(within: .zero)
    stage.client("the first launch ended during the attempt")
    let second = try await stage.outbox()
    let outcome = try await second.receipt(for: id)?.outcome()
    stage.client("the second launch: \(outcome?.response.map { "\($0.status)" } ?? "nothing")")
    stage.promise("the second launch delivers the request", outcome?.response?.status == HTTPStatus(201))
    let keys = Set(stage.server.requests.compactMap { $0.fields["Idempotency-Key"] })
    stage.server("\(stage.server.requests.count) requests with \(keys.count) key")
    stage.promise("both attempts have one key", keys.count == 1 && stage.server.requests.count == 2)
    await second.close()
  }

  static let lane = TourStep("Requests of a lane arrive in order despite a failure; other lanes do not wait")
  {
    stage in
    stage.server.script("/chat", [.response(status: 503), .response()])
    stage.server.on("POST", "/other") { _ in .response() }
    let outbox = try await stage.outbox()
    let messages = ["a", "b", "c", "d"].map { Request.post(stage.server.url("/chat"), .text($0)) }
    let receipts = try await outbox.enqueue(messages, lane: "chat/42")
    try await outbox.enqueue(.post(stage.server.url("/other")), lane: "likes")
    for receipt in receipts { _ = try await receipt.outcome() }
    try await outbox.waitUntilEmpty()
    let seen = stage.server.requests.filter { $0.path == "/chat" }.map(\.text).joined(separator: " ")
    stage.server("received from the lane: \(seen)")
    stage.promise("they arrive in order, and only the failed one twice", seen == "a a b c d")
    stage.promise("the other lane's request arrives, too", stage.server.count("/other") == 1)
    await outbox.close()
  }

  static let lostAcknowledgement = TourStep(
    "After a lost response the request is sent again, and its key identifies it"
  ) {
    stage in
    let orders = Mutex<[String: Int]>([:])
    stage.server.on("POST", "/orders") { request in
      let count = orders.withLock { orders in
        orders[request.fields["Idempotency-Key"] ?? "none", default: 0] += 1
        return orders.values.reduce(0, +)
      }
      return count == 1 ? .close : .response(status: 201, body: "order 1")
    }
    let outbox = try await stage.outbox()
    let outcome = try await outbox.enqueue(.post(stage.server.url("/orders"), .text("one pizza"))).outcome()
    stage.client("delivered: \(outcome.response.map { "\($0.status)" } ?? "no")")
    let seen = orders.withLock { $0 }
    stage.server("\(seen.values.reduce(0, +)) requests, \(seen.count) order by its key")
    stage.promise("two requests make one order", Array(seen.values) == [2] && outcome.response != nil)
    await outbox.close()
  }
}

extension TourStage {
  /// Opens an outbox in this step's folder. Opening it again simulates a later launch.
  fileprivate func outbox() async throws -> Outbox {
    var configuration = OutboxConfiguration()
    configuration.delivery.backoff = .milliseconds(30)
    configuration.delivery.maxBackoff = .milliseconds(60)
    // The step must also succeed on a machine without a network.
    configuration.reachability = nil
    return try await Outbox(at: file("outbox"), client: client, configuration: configuration)
  }
}

extension OutboxOutcome {
  fileprivate var response: OutboxResponse? {
    if case .delivered(let response) = self { response } else { nil }
  }
}
