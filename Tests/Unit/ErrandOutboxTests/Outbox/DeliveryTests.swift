import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import Programs
import TestSupport
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

@Suite(.timeLimit(.minutes(1))) struct DeliveryTests {
  private let harness: OutboxHarness
  private var server: MockServer { harness.server }

  init() throws { harness = try OutboxHarness() }

  @Test func `an enqueued request is stored and sent once, and its response is stored`() async throws {
    server.on("/") { _ in .response(status: 201, fields: ["Location": "/7"], body: "made") }
    let outbox = try await harness.outbox()
    let receipt = try await outbox.enqueue(.post(server.url("/"), json: ["a": 1]))
    let response = try #require(try await receipt.outcome().response)
    #expect(response.status == HTTPStatus(201) && response.fields["Location"] == "/7")
    #expect(response.body == Data("made".utf8) && response.isWhole)
    #expect(server.requests.map(\.text) == [#"{"a":1}"#])
    let entry = try #require(try await outbox.status(of: receipt.id))
    #expect(entry.state == .delivered && entry.attempts == 1 && entry.response == response)
    #expect(harness.keys() == ["\"\(entry.idempotencyKey)\""])
    await outbox.close()
  }

  @Test func `a receipt reports every step in its events, live and afterwards`() async throws {
    server.script("/", [.response(status: 503), .response(body: "ok")])
    let outbox = try await harness.outbox()
    let receipt = try await outbox.enqueue(.post(server.url("/"), .text("hello")))
    var steps: [String] = []
    for await event in receipt.events {
      switch event.step {
      case .stored: steps.append("stored")
      case .attempting(let number): steps.append("trying \(number)")
      case .failed(let reason, _): steps.append("failed: \(reason)")
      case .delivered(let response): steps.append("delivered \(response.status.code)")
      default: steps.append("\(event.step)")
      }
    }
    #expect(
      steps == [
        "stored", "trying 1", "failed: the server responded with 503 Service Unavailable", "trying 2",
        "delivered 200",
      ])
    var again = 0
    for await _ in receipt.events { again += 1 }
    #expect(again == steps.count)
    await outbox.close()
  }

  @Test func `the classify function is called without a lock held`() async throws {
    server.on("/") { _ in .response() }
    let used = Locked<Outbox?>(nil)
    let outbox = try await harness.outbox { configuration in
      configuration.delivers = false
      configuration.delivery.classify = { attempt in
        // This call would deadlock if a lock were held.
        used.withLock { $0 }.map { _ = $0.newID() }
        return .standard(attempt)
      }
    }
    used.withLock { $0 = outbox }
    let receipt = try await outbox.enqueue(.post(server.url("/"), .text("hello")))
    outbox.deliver()
    #expect(try await receipt.outcome().response != nil)
    used.withLock { $0 = nil }
    await outbox.close()
  }

  @Test func `storing a request is reported as a change`() async throws {
    let outbox = try await harness.outbox { $0.delivers = false }
    var changes = outbox.changes.makeAsyncIterator()
    await changes.next()
    try await outbox.enqueue(.post(server.url("/"), .text("hello")))
    await changes.next()
    #expect(try await outbox.statistics().counts == [.stored: 1])
    await outbox.close()
  }

  @Test func `a lost acknowledgement is retried with the same key`() async throws {
    server.script("/", [.response(body: "lost").closing(at: .start), .response(status: 502), .response()])
    let outbox = try await harness.outbox()
    let receipt = try await outbox.enqueue(.post(server.url("/"), .text("pay")))
    #expect(try await receipt.outcome().response != nil)
    #expect(harness.keys().count == 3 && Set(harness.keys()).count == 1)
    await outbox.close()
  }

  @Test func `a launch delivers the requests that the previous one left, with the same keys`() async throws {
    server.script("/", [.response(status: 503, fields: ["Retry-After": "3600"]), .response()])
    var outbox = try await harness.outbox()
    let receipt = try await outbox.enqueue(.post(server.url("/"), .text("later")), lane: "a")
    for await event in receipt.events { if case .failed = event.step { break } }
    await outbox.close()
    await #expect(throws: OutboxError.self) { try await receipt.outcome() }
    outbox = try await harness.outbox()
    let later = try #require(try await outbox.receipt(for: receipt.id))
    try await outbox.retry(OutboxSelection(ids: [receipt.id]))
    #expect(try await later.outcome().response != nil)
    #expect(Set(harness.keys()).count == 1 && harness.keys().count == 2)
    await outbox.close()
  }

  @Test func `a rejected request becomes a dead letter with a reason, and can be retried`() async throws {
    server.script("/", [.response(status: 400, body: "no such field"), .response()])
    let outbox = try await harness.outbox()
    let receipt = try await outbox.enqueue(.post(server.url("/"), .text("bad")))
    guard case .deadLettered(let reason, let response) = try await receipt.outcome() else {
      Issue.record("it did not become a dead letter")
      return
    }
    #expect(reason == "the server responded with 400 Bad Request; it says: no such field")
    #expect(response.map { String(decoding: $0.body, as: UTF8.self) } == "no such field")
    let aside = try await outbox.list(OutboxSelection(states: [.deadLettered]))
    #expect(aside.map(\.id) == [receipt.id])
    let again = try #require(try await outbox.receipt(for: receipt.id))
    #expect(try await outbox.retry(OutboxSelection(states: [.deadLettered])).count == 1)
    _ = again
    try await outbox.waitUntilEmpty()
    #expect(try await outbox.status(of: receipt.id)?.state == .delivered)
    await outbox.close()
  }

  @Test(arguments: [false, true])
  func `the reason of a retry quotes the server's text, unless the outbox is encrypted`(isEncrypted: Bool)
    async throws
  {
    server.on("/") { _ in
      .response(status: 503, fields: ["Retry-After": "3600"], body: "sold out, token=S3CRET")
    }
    let outbox = try await harness.outbox { if isEncrypted { $0.key = OutboxKey.random() } }
    let receipt = try await outbox.enqueue(.post(server.url("/"), .text("a")))
    var reasons: [String?] = []
    for await event in receipt.events {
      guard case .failed(let reason, _) = event.step else { continue }
      reasons.append(reason)
      break
    }
    reasons.append(try await outbox.status(of: receipt.id)?.reason)
    let said = "the server responded with 503 Service Unavailable"
    let words = isEncrypted ? "" : "; it says: sold out, token=***"
    #expect(reasons == [said + words, said + words])
    #expect(try await outbox.heldOrigins().map(\.reason) == ["\(said), with Retry-After\(words)"])
    await outbox.close()
  }

  @Test func `a hanging attempt ends when its request is retried by force, and the request is sent at once`()
    async throws
  {
    server.script("/", [.stall, .response()])
    let outbox = try await harness.outbox()
    let receipt = try await outbox.enqueue(.post(server.url("/"), .text("a")), lane: "l")
    try await server.wait(for: "a complete request") { $0.requests.first?.isComplete ?? false }
    let selection = OutboxSelection(ids: [receipt.id])
    #expect(try await outbox.retry(selection).isEmpty)
    #expect(try await outbox.retry(selection, force: true).map(\.state) == [.stored])
    #expect(try await receipt.outcome().response != nil)
    #expect(try await outbox.status(of: receipt.id)?.attempts == 2)
    #expect(harness.keys().count == 2 && Set(harness.keys()).count == 1)
    await outbox.close()
  }

  @Test func `requests of a lane are sent one at a time and in order, and lanes do not wait for each other`()
    async throws
  {
    let slow = Locked(false)
    server.on("/a") { _ in slow.withLock { $0 } ? .response() : .response().pausing(.milliseconds(5)) }
    server.on("/b") { _ in .response(status: 503) }
    server.on("/c") { _ in .response(status: 400) }
    let outbox = try await harness.outbox()
    let stuck = try await outbox.enqueue(.post(server.url("/b"), .text("stuck")), lane: "b")
    let poisoned = try await outbox.enqueue(.post(server.url("/c"), .text("poison")), lane: "a")
    let requests = (0..<30).map { Request.post(server.url("/a"), .text("\($0)")) }
    let receipts = try await outbox.enqueue(requests, lane: "a")
    for receipt in receipts { #expect(try await receipt.outcome().response != nil) }
    #expect(server.requests.filter { $0.path == "/a" }.map(\.text) == (0..<30).map(String.init))
    guard case .deadLettered = try await poisoned.outcome() else {
      Issue.record("the bad head did not become a dead letter")
      return
    }
    #expect(try await stuck.status()?.state.isOpen == true)
    await outbox.close()
  }

  @Test func `a lane with the block policy waits until its dead-lettered head is dropped`() async throws {
    server.on("/bad") { _ in .response(status: 400) }
    server.on("/good") { _ in .response() }
    let outbox = try await harness.outbox { $0.lanes = .block }
    let bad = try await outbox.enqueue(.post(server.url("/bad"), .text("bad")), lane: "a")
    let good = try await outbox.enqueue(.post(server.url("/good"), .text("good")), lane: "a")
    let other = try await outbox.enqueue(.post(server.url("/good"), .text("other")), lane: "b")
    guard case .deadLettered = try await bad.outcome() else {
      Issue.record("the bad request did not become a dead letter")
      return
    }
    #expect(try await other.outcome().response != nil)
    #expect(try await good.status()?.state == .stored)
    try await outbox.drop(OutboxSelection(ids: [bad.id]))
    #expect(try await good.outcome().response != nil)
    await outbox.close()
  }

  @Test(arguments: [LanePolicy.skip, .block])
  func `a lane may have a different policy from the others`(_ others: LanePolicy) async throws {
    server.on("/bad") { _ in .response(status: 400) }
    server.on("/good") { _ in .response() }
    let outbox = try await harness.outbox {
      $0.lanes = others
      $0.lanePolicy = { $0.hasPrefix("payments/") ? .block : $0 == "views" ? .skip : nil }
    }
    var second: [String: Receipt] = [:]
    for lane in ["payments/7", "views", "rest"] {
      let bad = try await outbox.enqueue(.post(server.url("/bad"), .text(lane)), lane: lane)
      second[lane] = try await outbox.enqueue(.post(server.url("/good"), .text(lane)), lane: lane)
      guard case .deadLettered = try await bad.outcome() else {
        Issue.record("the first request of \(lane) did not become a dead letter")
        return
      }
    }
    #expect(try await second["views"]?.outcome().response != nil)
    if others == .skip { #expect(try await second["rest"]?.outcome().response != nil) }
    #expect(try await second["payments/7"]?.status()?.state == .stored)
    if others == .block { #expect(try await second["rest"]?.status()?.state == .stored) }
    await outbox.close()
  }

  @Test func `a captive portal's redirect delivers nothing, and the body is not sent to it`() async throws {
    let portal = try MockServer()
    portal.otherwise { _ in .response(body: "please log in") }
    server.script(
      "/",
      [
        .redirect(302, to: portal.url("/login").absoluteString),
        .redirect(307, to: portal.url("/").absoluteString),
      ]
        + [.response()])
    let outbox = try await harness.outbox()
    let receipt = try await outbox.enqueue(.post(server.url("/"), .text("secret")))
    #expect(try await receipt.outcome().response != nil)
    #expect(portal.requests.isEmpty && server.count("/") == 3)
    await outbox.close()
  }

  @Test func `an outbox waits for an unreachable server, and those attempts do not count`() async throws {
    let port = try FreePort.take()
    let outbox = try await harness.outbox {
      $0.delivery.maxAttempts = 2
      $0.pollInterval = .milliseconds(200)
    }
    let receipt = try await outbox.enqueue(.post("http://127.0.0.1:\(port)/", .text("hello")))
    var failures = 0
    for await event in receipt.events {
      if case .failed = event.step { failures += 1 }
      if failures == 5 { break }
    }
    let back = try MockServer(port: port)
    back.otherwise { _ in .response() }
    #expect(try await receipt.outcome().response != nil)
    await outbox.close()
  }

  @Test func `closing gives the request in flight back, and the next launch sends it`() async throws {
    server.script("/", [.stall, .response()])
    var outbox = try await harness.outbox()
    let receipt = try await outbox.enqueue(.post(server.url("/"), .text("slow")))
    try await server.waitForRequests(1)
    await outbox.close(within: .milliseconds(50))
    outbox = try await harness.outbox()
    let later = try #require(try await outbox.receipt(for: receipt.id))
    #expect(try await later.outcome().response != nil)
    #expect(try await outbox.status(of: receipt.id)?.attempts == 1)
    await outbox.close()
  }

  @Test func `two outboxes on one folder share the work, and send nothing twice`() async throws {
    server.on("/") { _ in .response().pausing(.milliseconds(2)) }
    let one = try await harness.outbox()
    let two = try await harness.outbox()
    let requests = (0..<200).map { Request.post(server.url("/"), .text("\($0)")) }
    let receipts = try await one.enqueue(requests)
    for receipt in receipts { #expect(try await receipt.outcome().response != nil) }
    #expect(Set(harness.keys()).count == 200 && harness.keys().count == 200)
    try await two.waitUntilEmpty()
    await one.close()
    await two.close()
  }

  @Test func `a request of another outbox is delivered at once, and its receipt reports that`() async throws {
    server.on("/") { _ in .response() }
    let dispatcher = try await harness.outbox { $0.pollInterval = .seconds(3600) }
    let writer = try await harness.outbox { $0.delivers = false }
    let receipt = try await writer.enqueue(.post(server.url("/"), .text("from elsewhere")))
    #expect(try await receipt.outcome().response != nil)
    await writer.close()
    await dispatcher.close()
  }

  @Test(.onlyOnSQLite) func `a poll finds the change of a process that ended before it notified others`()
    async throws
  {
    let outbox = try await harness.outbox { $0.pollInterval = .milliseconds(200) }
    try await outbox.pause()
    let receipt = try await outbox.enqueue(.post(server.url("/")))
    async let end: Void = outbox.waitUntilEmpty()
    var silent = StoreSetup()
    silent.notifier = SilentChangeNotifier()
    let other = try await SQLiteOutboxStore(folder: harness.folder, setup: silent)
    #expect(try await other.drop(.all, reason: "elsewhere").rows.count == 1)
    await other.abandon()
    guard case .dropped = try await receipt.outcome() else { throw Unexpected() }
    try await end
    await outbox.close()
  }

  private struct Unexpected: Error {}

  @Test(.onlyOnSQLite) func `a receipt of a request that another process has removed fails as forgotten`()
    async throws
  {
    let outbox = try await harness.outbox { $0.delivers = false }
    let receipt = try await outbox.enqueue(.post(server.url("/")))
    let database = try Database(
      path: harness.folder.appending(path: "outbox.sqlite").path, busyTimeout: .seconds(5))
    try database.execute("DELETE FROM requests")
    database.leaveAsItIs()
    database.close()
    // This store notifies of a change.
    let other = try await SQLiteOutboxStore(folder: harness.folder)
    try await other.setPaused(true, lane: nil)
    let error = await #expect(throws: OutboxError.self) { try await receipt.outcome() }
    #expect(error?.code == .forgotten)
    await other.close()
    await outbox.close()
  }

  @Test func `a request that is enqueued after a call of deliver is delivered at once`() async throws {
    server.on("/") { _ in .response() }
    let outbox = try await harness.outbox {
      $0.delivers = false
      $0.pollInterval = .seconds(3600)
    }
    let early = try await outbox.enqueue(.post(server.url("/")))
    outbox.deliver()
    #expect(try await early.outcome().response != nil)
    #expect(try await outbox.enqueue(.post(server.url("/"))).outcome().response != nil)
    await outbox.close()
  }

  @Test func `a request of a later version of the format stays stored, in its place`() async throws {
    server.on("/") { _ in .response() }
    let storing = try await harness.outbox { $0.delivers = false }
    let item = OutboxItem(.post(server.url("/")), lane: "l").named(.new(), key: "k")
    var row = try await storing.storage.store([item], used: { Set($0) }, commit: { $0[0] })
    row.content = ContentSeal(nil).wrap(Data([99, 1, 2, 3]), as: .content(of: row.id))
    _ = try await storing.store.add([row], within: OutboxCaps())
    try await storing.enqueue(.post(server.url("/")), lane: "l")
    await storing.close()
    let outbox = try await harness.outbox { $0.pollInterval = .milliseconds(100) }
    try await waitUntil { try await outbox.status(of: row.id)?.attempts ?? 0 > 2 }
    let found = try #require(try await outbox.store.rows([row.id])[0])
    #expect(found.countedAttempts <= 1 && found.reason?.contains("update Errand") == true)
    #expect(try await outbox.statistics().counts[.deadLettered, default: 0] == 0)
    #expect(server.requests.isEmpty)
    await outbox.close()
  }
}
