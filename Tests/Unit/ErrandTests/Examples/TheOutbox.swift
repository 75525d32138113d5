// swift-format-ignore-file
import Errand
import ErrandTesting
import Foundation
import Testing

struct TheOutbox {
  let folder: URL
  let message: Message
  let key: OutboxKey

  func stored(_ client: Client) async throws {
    let outbox = try await Outbox(at: folder, client: client)

    // stored when this returns; requests of one lane are sent one at a time, in order
    let receipt = try await outbox.enqueue(.post(messageURL, json: message), lane: "chat/42")
    for await event in receipt.events { print(event.step) }
    let order = OutboxID(rawValue: "order-4711")
    let isNew = try await outbox.enqueue(
      .post(messageURL, json: message), lane: "customer/7", expires: .seconds(3600), id: order
    ).isNew
    var draft = OutboxItem(.put(messageURL, json: message), id: OutboxID(rawValue: "draft-7"))
    draft.ifKnown = .replace
    draft.notBefore = Date(timeIntervalSinceNow: 10)
    try await outbox.enqueue(draft)
    _ = isNew
  }

  func outcome(_ receipt: Receipt) async throws {
    switch try await receipt.outcome() {
    case .delivered(let response): print(response.status)
    case .deadLettered(let reason, let response): print(reason, response?.status ?? 0)
    case .expired: print("too late")
    case .dropped(let reason): print(reason)
    }
  }

  func looking(_ outbox: Outbox) async throws {
    let dead = OutboxSelection(states: [.deadLettered])
    for try await entry in outbox.entries(dead) { print("\(entry.url): \(entry.reason ?? "")") }
    let revived = try await outbox.retry(dead)
    print("\(revived.count) requests are sent again")
    let first = try await outbox.list(OutboxSelection(lane: .named("chat/42")), limit: 50)
    let next = try await outbox.list(OutboxSelection(lane: .named("chat/42")), after: first.last?.sequence ?? 0, limit: 50)
    _ = next
    for held in try await outbox.heldOrigins() { print("\(held.origin): \(held.reason), until \(held.until)") }
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
    configuration.lanes = .block   // default: .skip
    configuration.lanePolicy = { lane in lane.hasPrefix("chat/") ? .skip : nil }   // for some lanes; nil is `lanes`
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

/// Tests the article's statements about attempts, expiry and a retry by hand.
@Suite(.timeLimit(.minutes(1))) struct TheOutboxArticle {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "errand-article-\(UUID())")

  @Test func `a dead letter that is retried by hand has all its attempts again and no expiry`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try MockServer()
    server.on("POST", "/orders") { _ in .response(status: 503) }
    var configuration = OutboxConfiguration()
    configuration.delivery.maxAttempts = 2
    configuration.delivery.backoff = .zero
    configuration.reachability = nil
    let outbox = try await Outbox(at: folder, client: Client(), configuration: configuration)
    let receipt = try await outbox.enqueue(.post(server.url("/orders")), expires: .seconds(3600))
    guard case .deadLettered(let reason, let response) = try await receipt.outcome() else {
      Issue.record("the request is not a dead letter")
      return
    }
    #expect(reason.hasPrefix("attempted 2 times; the server responded with 503"))
    #expect(response?.status == 503)
    try await outbox.pause()
    let revived = try await outbox.retry(OutboxSelection(ids: [receipt.id]))
    #expect(revived.first?.attempts == 0 && revived.first?.expires == nil)
    await outbox.close()
  }

  @Test func `an outbox keeps its rows in one place and its large bodies in another`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let volume = folder.appending(path: "volume")
    let client = Client(transport: StubTransport([.response()]))
    let outbox = try await Outbox(at: folder.appending(path: "rows"), bodies: volume, client: client)
    try await outbox.pause()
    try await outbox.enqueue(.post(photoURL, .bytes(Data(count: 100_000), contentType: "image/png")))
    let files = FileManager.default.enumerator(atPath: volume.path)?.allObjects ?? []
    #expect(files.count > 1)
    await outbox.close()
  }
}
