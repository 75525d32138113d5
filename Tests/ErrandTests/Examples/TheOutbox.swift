// swift-format-ignore-file
import Errand
import Foundation

struct TheOutbox {
  let folder: URL
  let message: Message
  let key: OutboxKey

  func stored(_ client: Client) async throws {
    let outbox = try await Outbox(at: folder, client: client)

    // returns once it is stored; requests of one lane go one at a time, in order
    let receipt = try await outbox.enqueue(.post(messageURL, json: message), lane: "chat/42")
    for await event in receipt.events { show("\(event.step)") }
    let order = OutboxID(rawValue: "order-4711")
    let isNew = try await outbox.enqueue(
      .post(messageURL, json: message), lane: "customer/7", id: order
    ).isNew
    var draft = OutboxItem(.put(messageURL, json: message), id: OutboxID(rawValue: "draft-7"))
    draft.ifKnown = .replace
    draft.notBefore = Date(timeIntervalSinceNow: 10)
    try await outbox.enqueue(draft)
    _ = isNew
    let dead = OutboxSelection(states: [.deadLettered])
    for try await entry in outbox.entries(dead) { show("\(entry.url): \(entry.reason ?? "")") }
    try await outbox.retry(dead)
    for held in try await outbox.heldOrigins() { show("\(held.origin): \(held.reason)") }
    try await outbox.resume(origin: "https://api.example.com")
  }

  func configured(_ client: Client) async throws -> Outbox {
    var configuration = OutboxConfiguration()
    configuration.delivery.classify = { attempt in
      if case .failure(let error as RequestError) = attempt.result, error.status == 410 {
        return .reject(reason: "the chat was deleted")
      }
      return .standard(attempt)
    }
    configuration.lanes = .block   // .skip if not said otherwise
    configuration.caps.count = 100_000
    configuration.lifetime = .seconds(7 * 86_400)
    configuration.key = key
    let bounded = try await Outbox(at: folder, client: client, configuration: configuration)
    return bounded
  }

  func customers(_ outbox: Outbox) async throws -> OutboxConfiguration {
    var configuration = OutboxConfiguration()
    configuration.keyOf = { item in item.lane }   // or OutboxItem(request, key: "customer/7")
    try await outbox.resume(origin: "https://api.example.com", key: "customer/7")
    return configuration
  }

  func ended(_ outbox: Outbox, _ client: Client) async {
    await outbox.close(within: .seconds(20))
    await client.shutdown(within: .seconds(5))
  }
}
