import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

@Suite(.timeLimit(.minutes(1))) struct DeliveryTests {
  private let lab: OutboxLab
  private var server: MockServer { lab.server }

  init() throws { lab = try OutboxLab() }

  @Test func `what is enqueued is stored, sent once, and its answer is kept`() async throws {
    server.on("/") { _ in .answer(status: 201, fields: ["Location": "/7"], body: "made") }
    let outbox = try await lab.outbox()
    let receipt = try await outbox.enqueue(.post(server.url("/"), json: ["a": 1]))
    let answer = try #require(try await receipt.outcome().answer)
    #expect(answer.status == Status(201) && answer.fields["Location"] == "/7")
    #expect(answer.body == Data("made".utf8) && answer.isWhole)
    #expect(server.requests.map(\.text) == [#"{"a":1}"#])
    let entry = try #require(try await outbox.status(of: receipt.id))
    #expect(entry.state == .delivered && entry.tries == 1 && entry.answer == answer)
    #expect(lab.keys() == ["\"\(entry.idempotencyKey)\""])
    await outbox.close()
  }

  @Test func `every step is told, live and to who asks later`() async throws {
    server.script("/", [.answer(status: 503), .answer(body: "ok")])
    let outbox = try await lab.outbox()
    let receipt = try await outbox.enqueue(.post(server.url("/"), .text("hello")))
    var steps: [String] = []
    for await event in receipt.events {
      switch event.step {
      case .stored: steps.append("stored")
      case .trying(let number): steps.append("trying \(number)")
      case .failed(let reason, _): steps.append("failed: \(reason)")
      case .delivered(let answer): steps.append("delivered \(answer.status.rawValue)")
      default: steps.append("\(event.step)")
      }
    }
    #expect(
      steps == [
        "stored", "trying 1", "failed: the server answered 503 Service Unavailable", "trying 2",
        "delivered 200",
      ])
    var again = 0
    for await _ in receipt.events { again += 1 }
    #expect(again == steps.count)
    await outbox.close()
  }

  @Test func `who judges answers is called under no lock`() async throws {
    server.on("/") { _ in .answer() }
    let judging = Locked<Desk?>(nil)
    let outbox = try await lab.outbox { configuration in
      configuration.delivers = false
      configuration.delivery.judge = { aTry in
        // Would wait for itself for ever.
        judging.withLock { $0 }.map { _ = $0.newID() }
        return .standard(aTry)
      }
    }
    judging.withLock { $0 = outbox.desk }
    let receipt = try await outbox.enqueue(.post(server.url("/"), .text("hello")))
    outbox.deliver()
    #expect(try await receipt.outcome().answer != nil)
    judging.withLock { $0 = nil }
    await outbox.close()
  }

  @Test func `what is stored is a change that is told of`() async throws {
    let outbox = try await lab.outbox { $0.delivers = false }
    var changes = outbox.changes.makeAsyncIterator()
    await changes.next()
    try await outbox.enqueue(.post(server.url("/"), .text("hello")))
    await changes.next()
    #expect(try await outbox.statistics().counts == [.stored: 1])
    await outbox.close()
  }

  @Test func `a lost acknowledgement is tried again with the same key`() async throws {
    server.script("/", [.answer(body: "lost").closing(at: .start), .answer(status: 502), .answer()])
    let outbox = try await lab.outbox()
    let receipt = try await outbox.enqueue(.post(server.url("/"), .text("pay")))
    #expect(try await receipt.outcome().answer != nil)
    #expect(lab.keys().count == 3 && Set(lab.keys()).count == 1)
    await outbox.close()
  }

  @Test func `what a launch leaves the next one delivers, with the same key`() async throws {
    server.script("/", [.answer(status: 503, fields: ["Retry-After": "3600"]), .answer()])
    var outbox = try await lab.outbox()
    let receipt = try await outbox.enqueue(.post(server.url("/"), .text("later")), lane: "a")
    for await event in receipt.events { if case .failed = event.step { break } }
    await outbox.close()
    await #expect(throws: OutboxError.self) { try await receipt.outcome() }
    outbox = try await lab.outbox()
    let later = try #require(try await outbox.receipt(for: receipt.id))
    try await outbox.retry(OutboxSelection(ids: [receipt.id]))
    #expect(try await later.outcome().answer != nil)
    #expect(Set(lab.keys()).count == 1 && lab.keys().count == 2)
    await outbox.close()
  }

  @Test func `a refused request is set aside with its reason, and can be tried again by hand`() async throws {
    server.script("/", [.answer(status: 400, body: "no such field"), .answer()])
    let outbox = try await lab.outbox()
    let receipt = try await outbox.enqueue(.post(server.url("/"), .text("bad")))
    guard case .setAside(let reason, let answer) = try await receipt.outcome() else {
      Issue.record("it was not set aside")
      return
    }
    #expect(reason == "the server answered 400 Bad Request; it says: no such field")
    #expect(answer.map { String(decoding: $0.body, as: UTF8.self) } == "no such field")
    let aside = try await outbox.list(OutboxSelection(states: [.setAside]))
    #expect(aside.map(\.id) == [receipt.id])
    let again = try #require(try await outbox.receipt(for: receipt.id))
    #expect(try await outbox.retry(OutboxSelection(states: [.setAside])).count == 1)
    _ = again
    try await outbox.waitUntilEmpty()
    #expect(try await outbox.status(of: receipt.id)?.state == .delivered)
    await outbox.close()
  }

  @Test func `requests of a lane go one at a time and in order, and lanes do not wait for each other`()
    async throws
  {
    let slow = Locked(false)
    server.on("/a") { _ in slow.withLock { $0 } ? .answer() : .answer().pausing(.milliseconds(5)) }
    server.on("/b") { _ in .answer(status: 503) }
    server.on("/c") { _ in .answer(status: 400) }
    let outbox = try await lab.outbox()
    let stuck = try await outbox.enqueue(.post(server.url("/b"), .text("stuck")), lane: "b")
    let poisoned = try await outbox.enqueue(.post(server.url("/c"), .text("poison")), lane: "a")
    let requests = (0..<30).map { Request.post(server.url("/a"), .text("\($0)")) }
    let receipts = try await outbox.enqueue(requests, lane: "a")
    for receipt in receipts { #expect(try await receipt.outcome().answer != nil) }
    #expect(server.requests.filter { $0.path == "/a" }.map(\.text) == (0..<30).map(String.init))
    guard case .setAside = try await poisoned.outcome() else {
      Issue.record("the poisoned head was not set aside")
      return
    }
    #expect(try await stuck.status()?.state.isOpen == true)
    await outbox.close()
  }

  @Test func `a lane holds if it is to, until its head is dropped or tried again`() async throws {
    server.on("/bad") { _ in .answer(status: 400) }
    server.on("/good") { _ in .answer() }
    let outbox = try await lab.outbox { $0.lanes = .hold }
    let bad = try await outbox.enqueue(.post(server.url("/bad"), .text("bad")), lane: "a")
    let good = try await outbox.enqueue(.post(server.url("/good"), .text("good")), lane: "a")
    let other = try await outbox.enqueue(.post(server.url("/good"), .text("other")), lane: "b")
    guard case .setAside = try await bad.outcome() else {
      Issue.record("the bad one was not set aside")
      return
    }
    #expect(try await other.outcome().answer != nil)
    #expect(try await good.status()?.state == .stored)
    try await outbox.drop(OutboxSelection(ids: [bad.id]))
    #expect(try await good.outcome().answer != nil)
    await outbox.close()
  }

  @Test func `a captive portal's redirect is not delivery, nor is the body sent to it`() async throws {
    let portal = try MockServer()
    portal.otherwise { _ in .answer(body: "please log in") }
    server.script(
      "/",
      [
        .redirect(302, to: portal.url("/login").absoluteString),
        .redirect(307, to: portal.url("/").absoluteString),
      ]
        + [.redirect(302, to: "/login"), .answer()])
    server.on("/login") { _ in .answer(body: "please log in") }
    let outbox = try await lab.outbox()
    let receipt = try await outbox.enqueue(.post(server.url("/"), .text("secret")))
    #expect(try await receipt.outcome().answer != nil)
    #expect(portal.requests.isEmpty && server.count("/login") == 0 && server.count("/") == 4)
    await outbox.close()
  }

  @Test func `a server that is away is waited for, and that does not count as tries`() async throws {
    let port = server.port
    server.stop()
    let outbox = try await lab.outbox {
      $0.delivery.maxTries = 2
      $0.beat = .milliseconds(200)
    }
    let receipt = try await outbox.enqueue(.post("http://127.0.0.1:\(port)/", .text("hello")))
    var failures = 0
    for await event in receipt.events {
      if case .failed = event.step { failures += 1 }
      if failures == 5 { break }
    }
    let back = try MockServer(port: port)
    back.otherwise { _ in .answer() }
    #expect(try await receipt.outcome().answer != nil)
    await outbox.close()
  }

  @Test func `closing gives back what is under way, and the next launch sends it`() async throws {
    server.script("/", [.stall, .answer()])
    var outbox = try await lab.outbox()
    let receipt = try await outbox.enqueue(.post(server.url("/"), .text("slow")))
    try await server.waitForRequests(1)
    await outbox.close(within: .milliseconds(50))
    outbox = try await lab.outbox()
    let later = try #require(try await outbox.receipt(for: receipt.id))
    #expect(try await later.outcome().answer != nil)
    #expect(try await outbox.status(of: receipt.id)?.tries == 1)
    await outbox.close()
  }

  @Test func `two on one folder share the work, and none is sent twice`() async throws {
    server.on("/") { _ in .answer().pausing(.milliseconds(2)) }
    let one = try await lab.outbox()
    let two = try await lab.outbox()
    let requests = (0..<200).map { Request.post(server.url("/"), .text("\($0)")) }
    let receipts = try await one.enqueue(requests)
    for receipt in receipts { #expect(try await receipt.outcome().answer != nil) }
    #expect(Set(lab.keys()).count == 200 && lab.keys().count == 200)
    try await two.waitUntilEmpty()
    await one.close()
    await two.close()
  }

  @Test func `a foreign enqueue is delivered at once, and its receipt hears of it`() async throws {
    server.on("/") { _ in .answer() }
    let courier = try await lab.outbox { $0.beat = .seconds(3600) }
    let writer = try await lab.outbox { $0.delivers = false }
    let receipt = try await writer.enqueue(.post(server.url("/"), .text("from elsewhere")))
    #expect(try await receipt.outcome().answer != nil)
    await writer.close()
    await courier.close()
  }

  @Test func `what another process did is heard on the beat, if that process was gone before it told`()
    async throws
  {
    let outbox = try await lab.outbox { $0.beat = .milliseconds(200) }
    try await outbox.pause()
    let receipt = try await outbox.enqueue(.post(server.url("/")))
    async let end: Void = outbox.waitUntilEmpty()
    var silent = StoreSetup()
    silent.doorbell = SilentDoorbell()
    let other = try await SQLiteOutboxStore(folder: lab.folder, setup: silent)
    #expect(try await other.drop(.all, reason: "elsewhere", at: .now()).rows.count == 1)
    await other.abandon()
    guard case .dropped = try await receipt.outcome() else { throw Unexpected() }
    try await end
    await outbox.close()
  }

  private struct Unexpected: Error {}

  @Test func `a receipt of what another process has forgotten is not waited for`() async throws {
    let outbox = try await lab.outbox { $0.delivers = false }
    let receipt = try await outbox.enqueue(.post(server.url("/")))
    let database = try Database(
      path: lab.folder.appending(path: "outbox.sqlite").path, busyTimeout: .seconds(5))
    try database.execute("DELETE FROM requests")
    database.leaveAsItIs()
    database.close()
    // It says that something has changed.
    let other = try await SQLiteOutboxStore(folder: lab.folder)
    try await other.setPaused(true, lane: nil)
    let error = await #expect(throws: OutboxError.self) { try await receipt.outcome() }
    #expect(error?.code == .forgotten)
    await other.close()
    await outbox.close()
  }

  @Test func `what is enqueued after delivering was begun by hand is delivered at once`() async throws {
    server.on("/") { _ in .answer() }
    let outbox = try await lab.outbox {
      $0.delivers = false
      $0.beat = .seconds(3600)
    }
    let early = try await outbox.enqueue(.post(server.url("/")))
    outbox.deliver()
    #expect(try await early.outcome().answer != nil)
    #expect(try await outbox.enqueue(.post(server.url("/"))).outcome().answer != nil)
    await outbox.close()
  }
}
