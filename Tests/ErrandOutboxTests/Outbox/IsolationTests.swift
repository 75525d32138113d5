import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

/// One host's trouble is its own.
@Suite(.timeLimit(.minutes(1))) struct IsolationTests {
  private let lab: OutboxLab
  private var server: MockServer { lab.server }

  init() throws { lab = try OutboxLab() }

  /// Of what hangs, nothing has ended when this is looked at: the time-out is longer than the test may take.
  private func patientClient() -> Client { lab.client { $0.timeout = .seconds(120) } }

  @Test
  func `servers that are dead, silent or failing hold up none of a healthy one, though they come first`()
    async throws
  {
    server.on("/") { _ in .answer() }
    let failing = try MockServer()
    failing.otherwise { _ in .answer(status: 500) }
    let silent = (0..<40).map { _ in SilentServer() }
    let dead = (0..<2).map { _ in SilentServer().port }
    let outbox = try await lab.outbox(patientClient()) { $0.delivers = false }
    var troubled = silent.flatMap { server in (0..<5).map { _ in Request.post(server.url("/")) } }
    troubled += dead.flatMap { port in (0..<40).map { _ in .post("http://127.0.0.1:\(port)/") } }
    troubled += (0..<40).map { _ in .post(failing.url("/")) }
    let stuck = try await outbox.enqueue(troubled)
    let healthy = try await outbox.enqueue((0..<300).map { .post(server.url("/"), .text("\($0)")) })
    outbox.deliver()
    for receipt in healthy { #expect(try await receipt.outcome().answer != nil) }
    for receipt in stuck.prefix(200) {
      let status = try #require(try await receipt.status())
      #expect(status.state.isOpen && status.reason == nil)
    }
    // Held, it is not asked again and again.
    #expect(failing.requests.count < 40)
    await outbox.close(within: .zero)
  }

  @Test func `forty lanes at a silent server do not isolate, and need not: a healthy lane goes on in order`()
    async throws
  {
    server.on("/") { _ in .answer() }
    let silent = SilentServer()
    let outbox = try await lab.outbox(patientClient()) { $0.delivers = false }
    for lane in 0..<40 { try await outbox.enqueue(.post(silent.url("/")), lane: "silent \(lane)") }
    let receipts = try await outbox.enqueue(
      (0..<100).map { .post(server.url("/"), .text("\($0)")) }, lane: "healthy")
    outbox.deliver()
    for receipt in receipts { #expect(try await receipt.outcome().answer != nil) }
    #expect(server.requests.map(\.text) == (0..<100).map(String.init))
    await outbox.close(within: .zero)
  }

  @Test func `an origin is sent no more at once than its limit, and takes no slot of the client`()
    async throws
  {
    let gate = ServerGate()
    let inFlight = Locked((now: 0, most: 0))
    server.on("/") { _ in .answer().pausing(.milliseconds(3)) }
    let other = try MockServer()
    other.otherwise { _ in
      gate.pass()
      return .answer()
    }
    let client = lab.client()
    client.limits = ConcurrencyLimits(total: 1, perOrigin: 1)
    let held = Task { try await client.send(.get(other.url("/"))) }
    try await other.waitForRequests(1)
    let counting = lab.client()
    _ = counting
    let outbox = try await lab.outbox(client) { $0.perOrigin = 3 }
    let receipts = try await outbox.enqueue((0..<50).map { .post(server.url("/"), .text("\($0)")) })
    for receipt in receipts {
      let now = outbox.courier.work.withLock { $0.state.sending }
      inFlight.withLock { $0.most = max($0.most, now) }
      #expect(try await receipt.outcome().answer != nil)
    }
    #expect(inFlight.withLock { $0.most } <= 3)
    gate.open()
    _ = try await held.value
    await outbox.close()
  }

  @Test func `an attempt does not outlast its request, however slowly its response comes`() async throws {
    server.on("/") { _ in .answer(body: "slow").stalling(at: .body(1)) }
    let outbox = try await lab.outbox(patientClient())
    let receipt = try await outbox.enqueue(Request.post(server.url("/")).deadline(.seconds(1)))
    guard case .expired = try await receipt.outcome() else {
      Issue.record("it has ended in another way")
      return
    }
    await outbox.close()
  }

  @Test func `Retry-After holds the origin, not only the request, and others go on`() async throws {
    let isBusy = Locked(true)
    let busy = try MockServer()
    busy.otherwise { _ in
      isBusy.withLock { $0 } ? .answer(status: 429, fields: ["Retry-After": "3600"]) : .answer()
    }
    server.on("/") { _ in .answer() }
    let outbox = try await lab.outbox()
    let first = try await outbox.enqueue(.post(busy.url("/")))
    for await event in first.events { if case .failed = event.step { break } }
    let rest = try await outbox.enqueue((0..<5).map { _ in .post(busy.url("/")) })
    #expect(try await outbox.enqueue(.post(server.url("/"))).outcome().answer != nil)
    let held = try await outbox.heldOrigins()
    #expect(held.map(\.origin) == ["http://127.0.0.1:\(busy.port)"] && held.map(\.kind) == [.busy])
    #expect(busy.requests.count == 1)
    isBusy.withLock { $0 = false }
    try await outbox.resume(origin: busy.url("/").absoluteString)
    for receipt in rest { #expect(try await receipt.outcome().answer != nil) }
    #expect(try await outbox.heldOrigins().isEmpty)
    await outbox.close()
  }

  @Test(arguments: [401, 403])
  func `refused credentials pause their origin, lose nothing, and a probe finds when they are good again`(
    status: Int
  ) async throws {
    let isGood = Locked(false)
    server.on("/") { _ in isGood.withLock { $0 } ? .answer() : .answer(status: status) }
    let outbox = try await lab.outbox()
    let receipts = try await outbox.enqueue((0..<200).map { .post(server.url("/"), .text("\($0)")) })
    try await server.waitForRequests(4)
    let held = try await outbox.heldOrigins()
    #expect(held.isEmpty || held.map(\.kind) == [.unauthorized])
    isGood.withLock { $0 = true }
    for receipt in receipts { #expect(try await receipt.outcome().answer != nil) }
    #expect(server.requests.count < 230)
    await outbox.close()
  }

  @Test func `paused for its credentials, an origin is resumed by hand, from another process as well`()
    async throws
  {
    let isGood = Locked(false)
    server.on("/") { _ in isGood.withLock { $0 } ? .answer() : .answer(status: 401) }
    let outbox = try await lab.outbox { $0.delivery.slow() }
    let receipts = try await outbox.enqueue((0..<20).map { .post(server.url("/"), .text("\($0)")) })
    for await event in receipts[0].events { if case .failed = event.step { break } }
    let other = try await lab.outbox { $0.delivers = false }
    let held = try await other.heldOrigins()
    #expect(held.map(\.reason) == ["the server answered 401 Unauthorized"])
    isGood.withLock { $0 = true }
    try await other.resume(origin: nil)
    for receipt in receipts.dropFirst() { #expect(try await receipt.outcome().answer != nil) }
    #expect(try await outbox.statistics().counts[.setAside] == nil)
    await other.close()
    await outbox.close()
  }

  @Test func `a request that is refused alone is set aside, and the others of its origin go on`() async throws
  {
    server.on("/") { _ in .answer() }
    server.on("/forbidden") { _ in .answer(status: 403) }
    let outbox = try await lab.outbox()
    let bad = try await outbox.enqueue(.post(server.url("/forbidden")))
    let good = try await outbox.enqueue((0..<20).map { .post(server.url("/"), .text("\($0)")) })
    for receipt in good { #expect(try await receipt.outcome().answer != nil) }
    guard case .setAside(let reason, _) = try await bad.outcome() else {
      Issue.record("it was not set aside")
      return
    }
    #expect(reason.contains("403") && reason.contains("others were accepted"))
    await outbox.close()
  }

  @Test func `an attempt that others have cancelled backs off and counts`() async throws {
    struct Cancelling: Interceptor {
      func intercept(_ request: Request, next: Next) async throws -> Response { throw CancellationError() }
    }
    let outbox = try await lab.outbox(lab.client { $0.interceptors = [Cancelling()] }) {
      $0.delivery.slow()
    }
    let receipt = try await outbox.enqueue(.post(server.url("/")))
    for await event in receipt.events { if case .failed = event.step { break } }
    let entry = try #require(try await receipt.status())
    #expect(entry.state == .stored && entry.tries == 1 && entry.nextTry != nil && entry.reason != nil)
    await outbox.close()
  }

  @Test func `an outbox whose client is gone backs off, and nothing counts as attempted`() async throws {
    let client = lab.client()
    await client.shutdown()
    let outbox = try await lab.outbox(client) { $0.delivery.slow() }
    let receipt = try await outbox.enqueue(.post(server.url("/")))
    for await event in receipt.events { if case .failed = event.step { break } }
    let row = try #require(try await outbox.desk.store.rows([receipt.id])[0])
    #expect(row.state == .stored && row.countedTries == 0 && row.due != nil)
    await outbox.close()
  }

  @Test func `a sealed outbox does not write down which servers its requests are for`() async throws {
    let outbox = try await lab.outbox {
      $0.key = .random()
      $0.delivers = false
    }
    let rows = try await outbox.enqueue([
      .post("https://Customer.example/a"), .post("https://customer.example:443/b"),
    ])
    let stored = try await outbox.desk.store.rows(rows.map(\.id)).compactMap { $0?.origin }
    #expect(stored.count == 2 && stored[0] == stored[1] && stored[0].count == 32)
    let url = try #require(URL(string: "https://customer.example"))
    let news = OriginNews(
      origin: stored[0],
      change: .hold(
        .trouble, reason: "no", label: outbox.desk.storage.originLabel(of: url), for: .seconds(60)))
    _ = try await outbox.desk.store.finish(
      [FinishedTry(lease: Lease(id: rows[0].id, number: 0), outcome: .returned, news: news)], at: .now())
    #expect(try await outbox.heldOrigins().map(\.origin) == ["https://customer.example:443"])
    await outbox.close()
    for case let file as URL in FileManager.default.enumerator(
      at: lab.folder, includingPropertiesForKeys: [.isRegularFileKey]) ?? .init()
    where try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
      #expect(try Data(contentsOf: file).range(of: Data("ustomer.example".utf8)) == nil)
    }
  }
}

extension DeliveryPolicy {
  fileprivate mutating func slow() { (backoff, maxBackoff) = (.seconds(3600), .seconds(3600)) }
}
