import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

/// The failures of one host do not delay requests to others.
@Suite(.timeLimit(.minutes(1))) struct IsolationTests {
  private let harness: OutboxHarness
  private var server: MockServer { harness.server }

  init() throws { harness = try OutboxHarness() }

  /// Returns a client whose time-out is longer than the test may take, so that no hanging attempt ends.
  private func patientClient() -> Client { harness.client { $0.timeout = .seconds(120) } }

  @Test
  func `dead, silent and failing servers do not delay requests to a healthy one behind them`()
    async throws
  {
    server.on("/") { _ in .response() }
    let failing = try MockServer()
    failing.otherwise { _ in .response(status: 500) }
    let silent = (0..<40).map { _ in SilentServer() }
    let dead = (0..<2).map { _ in SilentServer().port }
    let outbox = try await harness.outbox(patientClient()) { $0.delivers = false }
    var troubled = silent.flatMap { server in (0..<5).map { _ in Request.post(server.url("/")) } }
    troubled += dead.flatMap { port in (0..<40).map { _ in .post("http://127.0.0.1:\(port)/") } }
    troubled += (0..<40).map { _ in .post(failing.url("/")) }
    let stuck = try await outbox.enqueue(troubled)
    let healthy = try await outbox.enqueue((0..<300).map { .post(server.url("/"), .text("\($0)")) })
    outbox.deliver()
    for receipt in healthy { #expect(try await receipt.outcome().response != nil) }
    for receipt in stuck.prefix(200) {
      let status = try #require(try await receipt.status())
      #expect(status.state.isOpen && status.reason == nil)
    }
    // A held origin is not tried repeatedly: each of its rows was tried once, and then one at a time.
    #expect(failing.requests.count < 40 + 10)
    await outbox.close(within: .zero)
  }

  @Test func `forty lanes of a silent server delay no healthy lane, which keeps its order`()
    async throws
  {
    server.on("/") { _ in .response() }
    let silent = SilentServer()
    let outbox = try await harness.outbox(patientClient()) { $0.delivers = false }
    for lane in 0..<40 { try await outbox.enqueue(.post(silent.url("/")), lane: "silent \(lane)") }
    let receipts = try await outbox.enqueue(
      (0..<100).map { .post(server.url("/"), .text("\($0)")) }, lane: "healthy")
    outbox.deliver()
    for receipt in receipts { #expect(try await receipt.outcome().response != nil) }
    #expect(server.requests.map(\.text) == (0..<100).map(String.init))
    await outbox.close(within: .zero)
  }

  @Test func `an origin gets no more concurrent attempts than its limit, and takes no slot of the client`()
    async throws
  {
    let gate = ServerGate()
    let inFlight = Locked((now: 0, most: 0))
    server.on("/") { _ in .response().pausing(.milliseconds(3)) }
    let other = try MockServer()
    other.otherwise { _ in
      gate.pass()
      return .response()
    }
    let client = patientClient()
    client.limits = ConcurrencyLimits(total: 1, perOrigin: 1)
    let isSlotFree = Locked(false)
    let held = Task {
      defer { isSlotFree.withLock { $0 = true } }
      return try await client.send(.get(other.url("/")))
    }
    try await other.waitForRequests(1)
    let outbox = try await harness.outbox(client) { $0.perOrigin = 3 }
    let receipts = try await outbox.enqueue((0..<50).map { .post(server.url("/"), .text("\($0)")) })
    for receipt in receipts {
      let now = outbox.dispatcher.state.withLock { $0.inFlight.sending }
      inFlight.withLock { $0.most = max($0.most, now) }
      #expect(try await receipt.outcome().response != nil)
    }
    #expect(inFlight.withLock { $0.most } <= 3)
    #expect(!isSlotFree.withLock { $0 })
    gate.open()
    _ = try await held.value
    await outbox.close()
  }

  @Test func `an attempt ends when its request expires, however slowly its response arrives`() async throws {
    server.on("/") { _ in .response(body: "slow").stalling(at: .body(1)) }
    let outbox = try await harness.outbox(patientClient())
    let receipt = try await outbox.enqueue(Request.post(server.url("/")), expires: .seconds(1))
    guard case .expired = try await receipt.outcome() else {
      Issue.record("it ended in another way")
      return
    }
    await outbox.close()
  }

  @Test func `a deadline ends an attempt, and not the request`() async throws {
    server.on("/") { request in
      request.index == 0 ? .response(body: "slow").stalling(at: .body(1)) : .response(body: "quick")
    }
    let outbox = try await harness.outbox(patientClient())
    let receipt = try await outbox.enqueue(Request.post(server.url("/")).deadline(.milliseconds(500)))
    #expect(try await receipt.outcome().response?.status == 200)
    #expect(harness.keys().count == 2 && Set(harness.keys()).count == 1)
    await outbox.close()
  }

  @Test func `the client's deadline ends an attempt of a request that expires much later`() async throws {
    server.on("/") { request in
      request.index == 0 ? .response(body: "slow").stalling(at: .body(1)) : .response(body: "quick")
    }
    let client = harness.client {
      $0.timeout = .seconds(60)
      $0.deadline = .milliseconds(500)
    }
    let outbox = try await harness.outbox(client)
    let receipt = try await outbox.enqueue(.post(server.url("/"), .bytes(Data())), expires: .seconds(3600))
    #expect(try await receipt.outcome().response?.status == 200)
    #expect(harness.keys().count == 2)
    await outbox.close()
  }

  /// Enqueues bad requests, each in a lane, and 200 good ones of the same origin behind them, and expects
  /// that all good ones are delivered.
  private func expectGood(behind bad: Int, _ request: Request) async throws {
    server.on("/good") { _ in .response() }
    // Delivery begins when all are stored, with the bad ones first.
    let outbox = try await harness.outbox(patientClient()) {
      $0.delivers = false
      $0.delivery.backoff = .seconds(1)
      $0.delivery.maxBackoff = .seconds(3600)
    }
    _ = try await outbox.enqueue((0..<bad).map { OutboxItem(request, lane: "bad \($0)") })
    let receipts = try await outbox.enqueue(
      (0..<200).map { OutboxItem(.post(server.url("/good")), lane: "good \($0)") })
    outbox.deliver()
    for receipt in receipts { #expect(try await receipt.outcome().response?.status == 200) }
    await outbox.close(within: .zero)
  }

  @Test(arguments: [3, 20, 100], [500, 503, 401])
  func `rows that the server refuses do not starve the others of their origin`(
    bad: Int, status: Int
  ) async throws {
    server.on("/bad") { _ in .response(status: status) }
    try await expectGood(behind: bad, .post(server.url("/bad")))
  }

  /// The way in which a server ends a bad request without a response.
  enum Silence: CaseIterable, Sendable {
    case closed, reset, garbage, cut, hanging, late

    var response: MockResponse {
      switch self {
      case .closed: .response().closing(at: .head(0))
      case .reset: .response().resetting(at: .head(0))
      case .garbage: .raw("nonsense\r\n\r\n")
      case .cut: .response(body: "0123456789").closing(at: .body(3))
      case .hanging, .late: .response().stalling(at: .head(0))
      }
    }
  }

  @Test(arguments: Silence.allCases, [3, 20])
  func `rows to which the server does not respond do not starve the others of their origin`(
    silence: Silence, bad: Int
  ) async throws {
    server.on("/bad") { _ in silence.response }
    let request = Request.post(server.url("/bad"))
    // An origin has at most 4 hanging requests in flight, until they time out.
    try await expectGood(
      behind: silence == .hanging ? 3 : bad, silence == .late ? request.timeout(.milliseconds(50)) : request)
  }

  @Test func `Retry-After holds the origin, not only the request, and other origins continue`() async throws {
    let isBusy = Locked(true)
    let busy = try MockServer()
    busy.otherwise { _ in
      isBusy.withLock { $0 } ? .response(status: 429, fields: ["Retry-After": "3600"]) : .response()
    }
    server.on("/") { _ in .response() }
    let outbox = try await harness.outbox()
    let first = try await outbox.enqueue(.post(busy.url("/")))
    for await event in first.events { if case .failed = event.step { break } }
    let rest = try await outbox.enqueue((0..<5).map { _ in .post(busy.url("/")) })
    #expect(try await outbox.enqueue(.post(server.url("/"))).outcome().response != nil)
    let held = try await outbox.heldOrigins()
    #expect(held.map(\.origin) == ["http://127.0.0.1:\(busy.port)"] && held.map(\.kind) == [.busy])
    #expect(busy.requests.count == 1)
    isBusy.withLock { $0 = false }
    try await outbox.resume(origin: busy.url("/").absoluteString)
    for receipt in rest { #expect(try await receipt.outcome().response != nil) }
    #expect(try await outbox.heldOrigins().isEmpty)
    await outbox.close()
  }

  @Test(arguments: [401, 403])
  func `unauthorized responses hold their origin and lose nothing, until a probe is accepted`(
    status: Int
  ) async throws {
    let isGood = Locked(false)
    server.on("/") { _ in isGood.withLock { $0 } ? .response() : .response(status: status) }
    let outbox = try await harness.outbox()
    let receipts = try await outbox.enqueue((0..<200).map { .post(server.url("/"), .text("\($0)")) })
    try await server.waitForRequests(4)
    let held = try await outbox.heldOrigins()
    #expect(held.isEmpty || held.map(\.kind) == [.unauthorized])
    isGood.withLock { $0 = true }
    for receipt in receipts { #expect(try await receipt.outcome().response != nil) }
    await outbox.close()
  }

  @Test func `an origin that is held as unauthorized can be resumed manually, from another outbox as well`()
    async throws
  {
    let isGood = Locked(false)
    server.on("/") { _ in isGood.withLock { $0 } ? .response() : .response(status: 401) }
    let outbox = try await harness.outbox { $0.delivery.slow() }
    let receipts = try await outbox.enqueue((0..<20).map { .post(server.url("/"), .text("\($0)")) })
    for await event in receipts[0].events { if case .failed = event.step { break } }
    let other = try await harness.outbox { $0.delivers = false }
    let held = try await other.heldOrigins()
    #expect(held.map(\.reason) == ["the server responded with 401 Unauthorized"])
    isGood.withLock { $0 = true }
    try await other.resume(origin: nil)
    for receipt in receipts.dropFirst() { #expect(try await receipt.outcome().response != nil) }
    #expect(try await outbox.statistics().counts[.deadLettered] == nil)
    await other.close()
    await outbox.close()
  }

  @Test func `a request that is refused alone becomes a dead letter, and others of its origin continue`()
    async throws
  {
    server.on("/") { _ in .response() }
    server.on("/forbidden") { _ in .response(status: 403) }
    let outbox = try await harness.outbox()
    let bad = try await outbox.enqueue(.post(server.url("/forbidden")))
    let good = try await outbox.enqueue((0..<20).map { .post(server.url("/"), .text("\($0)")) })
    for receipt in good { #expect(try await receipt.outcome().response != nil) }
    guard case .deadLettered(let reason, _) = try await bad.outcome() else {
      Issue.record("it did not become a dead letter")
      return
    }
    #expect(reason.contains("403") && reason.contains("others were accepted"))
    await outbox.close()
  }

  @Test func `an attempt that an interceptor cancelled backs off and counts`() async throws {
    struct Cancelling: Interceptor {
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        throw CancellationError()
      }
    }
    let outbox = try await harness.outbox(harness.client { $0.interceptors = [Cancelling()] }) {
      $0.delivery.slow()
    }
    let receipt = try await outbox.enqueue(.post(server.url("/")))
    for await event in receipt.events { if case .failed = event.step { break } }
    let entry = try #require(try await receipt.status())
    #expect(entry.state == .stored && entry.attempts == 1 && entry.nextAttempt != nil && entry.reason != nil)
    await outbox.close()
  }

  @Test func `an outbox whose client is shut down backs off, and its attempts do not count`() async throws {
    let client = harness.client()
    await client.shutdown()
    let outbox = try await harness.outbox(client) { $0.delivery.slow() }
    let receipt = try await outbox.enqueue(.post(server.url("/")))
    for await event in receipt.events { if case .failed = event.step { break } }
    let row = try #require(try await outbox.store.rows([receipt.id])[0])
    #expect(row.state == .stored && row.countedAttempts == 0 && row.due != nil)
    await outbox.close()
  }

  @Test func `an encrypted outbox does not store the servers of its requests`() async throws {
    let outbox = try await harness.outbox {
      $0.key = .random()
      $0.delivers = false
    }
    let rows = try await outbox.enqueue([
      .post("https://Customer.example/a"), .post("https://customer.example:443/b"),
    ])
    let stored = try await outbox.store.rows(rows.map(\.id)).compactMap { $0?.origin }
    #expect(stored.count == 2 && stored[0] == stored[1] && stored[0].count == 32)
    let url = try #require(URL(string: "https://customer.example"))
    let news = OriginNews(
      origin: stored[0], change: .hold(.trouble, reason: "no", for: .seconds(60)),
      label: outbox.storage.originLabel(of: OriginAddress(url)))
    _ = try await outbox.store.finish(
      [FinishedAttempt(lease: Lease(id: rows[0].id, number: 0), outcome: .returned, news: news)])
    #expect(try await outbox.heldOrigins().map(\.origin) == ["https://customer.example:443"])
    await outbox.close()
    for case let file as URL in FileManager.default.enumerator(
      at: harness.folder, includingPropertiesForKeys: [.isRegularFileKey]) ?? .init()
    where try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
      #expect(try Data(contentsOf: file).range(of: Data("ustomer.example".utf8)) == nil)
    }
  }
}

extension DeliveryPolicy {
  fileprivate mutating func slow() { (backoff, maxBackoff) = (.seconds(3600), .seconds(3600)) }
}
