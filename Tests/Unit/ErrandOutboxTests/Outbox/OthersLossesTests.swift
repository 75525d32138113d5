import ErrandAuthentication
import ErrandCore
import ErrandReachability
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

/// Ways in which other queues lose or duplicate requests, as their users have reported. More are in
/// `PoisonedHeadTests`, `CaptivePortalTests` and `TwoProcessesTests`.
@Suite(.timeLimit(.minutes(1))) struct OthersLossesTests {
  private let harness: OutboxHarness
  private var server: MockServer { harness.server }

  init() throws { harness = try OutboxHarness() }

  @Test
  func
    `a row exists until its response is recorded, and never runs again after that (workbox 3237, SwiftQueue 367, 375)`()
    async throws
  {
    let folder = harness.folder
    let states = Locked<[OutboxState?]>([])
    server.on("/") { request in
      let state = try? Database(path: folder.appending(path: "outbox.sqlite").path, busyTimeout: .seconds(1))
        .all(sql: "SELECT state FROM requests WHERE content IS NOT NULL") {
          OutboxState(rawValue: Int($0.integer(0)))
        }.first
      states.withLock { $0.append(state ?? nil) }
      return .response()
    }
    server.on("/later") { _ in .response() }
    for launch in 0..<4 {
      let outbox = try await harness.outbox()
      if launch == 0 { try await outbox.enqueue(.post(server.url("/"), .text("once"))) }
      try await outbox.waitUntilEmpty()
      // An outbox that sent the request again would do so before this one.
      let last = try await outbox.enqueue(.post(server.url("/later")))
      #expect(try await last.outcome().response != nil)
      await outbox.close()
    }
    #expect(server.count("/") == 1)
    #expect(states.withLock { $0 } == [.attempting])
  }

  @Test
  func
    `a lost acknowledgement duplicates nothing: the key is the same in every attempt (firebase-ios-sdk 16475)`()
    async throws
  {
    server.script(
      "/", [.close, .response().closing(at: .start), .response(status: 502), .reset, .response()])
    var attempts = 0
    for launch in 0..<5 {
      let outbox = try await harness.outbox { $0.delivery.backoff = .zero }
      if launch == 0 { try await outbox.enqueue(.post(server.url("/"), .text("pay"))) }
      try await server.waitForRequests(min(launch + 1, 5))
      if launch == 4 { try await outbox.waitUntilEmpty() }
      attempts = try await outbox.list()[0].attempts
      await outbox.close()
    }
    #expect(harness.keys().count == 5 && Set(harness.keys()).count == 1 && attempts == 5)
    #expect(Set(server.requests.map(\.text)) == ["pay"])
  }

  @Test
  func `a POST is sent once in each attempt, even when a reused connection closes (okhttp 1043, 2394)`()
    async throws
  {
    server.script(
      "/", [.response(), .response().closing(at: .start), .response().resetting(at: .start), .response()])
    let outbox = try await harness.outbox { $0.concurrency = 1 }
    let first = try await outbox.enqueue(.post(server.url("/"), .text("opens a connection")))
    #expect(try await first.outcome().response != nil)
    let second = try await outbox.enqueue(.post(server.url("/"), .text("is eaten")))
    #expect(try await second.outcome().response != nil)
    #expect(server.requests.count { $0.text == "is eaten" } == 3)
    #expect(try await second.status()?.attempts == 3)
    await outbox.close()
  }

  @Test
  func
    `a cancelled waiter changes nothing for the request and its other waiters (coil 3562, SDWebImage 883)`()
    async throws
  {
    let gate = Locked(false)
    server.on("/") { _ in gate.withLock { $0 } ? .response() : .response(status: 503) }
    let outbox = try await harness.outbox()
    let receipt = try await outbox.enqueue(.post(server.url("/"), .text("wanted")))
    let waiters = (0..<10).map { _ in Task { try await receipt.outcome() } }
    try await server.waitForRequests(2)
    for waiter in waiters.prefix(9) { waiter.cancel() }
    for waiter in waiters.prefix(9) {
      await #expect(throws: CancellationError.self) { try await waiter.value }
    }
    gate.withLock { $0 = true }
    #expect(try await waiters[9].value.response != nil)
    #expect(try await receipt.status()?.state == .delivered)
    await outbox.close()
  }

  @Test func `a hundred stored requests with a stale token request one new token (Alamofire 3928, 3290)`()
    async throws
  {
    server.on("/token") { _ in .response(body: "new").pausing(.milliseconds(20)) }
    server.on("/") { request in
      .response(status: request.fields["Authorization"] == "Bearer new" ? 200 : 401)
    }
    let tokens = TokenKeeper(harness.client(), server.url("/token"))
    let outbox = try await harness.outbox(harness.client { $0.attemptInterceptors = [tokens] })
    try await outbox.enqueue((0..<100).map { .post(server.url("/"), .text("\($0)")) })
    try await outbox.waitUntilEmpty()
    #expect(try await outbox.statistics().counts[.delivered] == 100)
    #expect(server.count("/token") == 1)
    await outbox.close()
  }

  @Test func `launches in quick succession lose and forget no request (TanStack query 6238, 4846)`()
    async throws
  {
    server.on("/") { _ in .response().pausing(.milliseconds(3)) }
    let first = try await harness.outbox { $0.delivers = false }
    let receipts = try await first.enqueue((0..<100).map { .post(server.url("/"), .text("\($0)")) })
    await first.close()
    for _ in 0..<8 { await (try await harness.outbox()).close(within: .milliseconds(10)) }
    let last = try await harness.outbox()
    try await last.waitUntilEmpty()
    for receipt in receipts { #expect(try await last.status(of: receipt.id)?.state == .delivered) }
    #expect(Set(harness.keys()).count == 100)
    // Each request has one key, however often it arrived.
    #expect(Set(server.requests.map { "\($0.text) \($0.fields["Idempotency-Key"] ?? "")" }).count == 100)
    await last.close()
  }

  @Test func `a lane keeps its order through concurrent enqueues, failures and restarts (workbox 2640)`()
    async throws
  {
    let count = Locked(0)
    server.on("/") { _ in
      let isBusy = count.withLock { count in
        count += 1
        return count.isMultiple(of: 7)
      }
      return isBusy ? .response(status: 503) : .response()
    }
    for launch in 0..<4 {
      let outbox = try await harness.outbox()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for one in 0..<4 {
          group.addTask { [server] in
            for number in 0..<10 {
              let name = "\(launch * 1000 + one * 100 + number)"
              try await outbox.enqueue(.post(server.url("/"), .text(name)), lane: "one")
            }
          }
        }
        try await group.waitForAll()
      }
      if launch == 3 { try await outbox.waitUntilEmpty() }
      await outbox.close()
    }
    let outbox = try await harness.outbox { $0.delivers = false }
    let stored = try await outbox.list(limit: 1000).map(\.idempotencyKey)
    await outbox.close()
    var seen: Set<String> = []
    let came = harness.keys().filter { seen.insert($0).inserted }
    #expect(stored.count == 160 && came == stored.map { "\"\($0)\"" })
    // Requests that one task enqueues in sequence keep that order.
    let numbers = server.requests.compactMap { Int($0.text) }
    for one in 0..<16 {
      let own = numbers.filter { $0 / 100 == one / 4 * 10 + one % 4 }
      #expect(own == own.sorted())
    }
  }

  @Test func `a wall clock that jumps causes no loss and no duplicate (quartznet 1490)`()
    async throws
  {
    let failed = Locked<Set<String>>([])
    server.on("/") { request in
      let isFirst = failed.withLock { $0.insert(request.text).inserted }
      return isFirst ? .response(status: 503) : .response()
    }
    let random = Locked(SeededRandom(seed: 3))
    // Up to a year in either direction, different at each call.
    let jump = { @Sendable in
      random.withLock { Int64.random(in: -31_536_000_000...31_536_000_000, using: &$0) }
    }
    let outbox = try await harness.outbox {
      $0.date = { Date(milliseconds: StoreTime.now().wall + jump()) }
    } time: {
      var time = StoreTime.now()
      time.wall += jump()
      return time
    }
    let receipts = try await outbox.enqueue(
      (0..<50).map { .post(server.url("/"), .text("\($0)")) }, lane: "a")
    for receipt in receipts { #expect(try await receipt.outcome().response != nil) }
    #expect(harness.keys().count == 100 && Set(harness.keys()).count == 50)
    await outbox.close()
  }

  @Test func `a signature is new for each attempt and is never on the disk (aws-sdk-java 406)`() async throws
  {
    server.script("/", [.response(status: 503), .response(status: 503), .response()])
    let signer = Signer()
    let outbox = try await harness.outbox(harness.client { $0.attemptInterceptors = [signer] })
    let receipt = try await outbox.enqueue(.post(server.url("/"), .text("signed")))
    #expect(try await receipt.outcome().response != nil)
    #expect(
      server.requests.map { $0.fields["Authorization"] } == ["Signature 1", "Signature 2", "Signature 3"])
    await outbox.close()
    for case let file as URL in FileManager.default.enumerator(
      at: harness.folder, includingPropertiesForKeys: [.isRegularFileKey]) ?? .init()
    where try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
      #expect(try Data(contentsOf: file).range(of: Data("Signature".utf8)) == nil)
    }
  }

  @Test
  func `a wrong report that there is no network only slows an outbox down (redux-offline 377)`()
    async throws
  {
    server.on("/") { _ in .response() }
    let outbox = try await harness.outbox {
      $0.reachability = ManualReachability(.offline)
      $0.pollInterval = .milliseconds(100)
    }
    let receipts = try await outbox.enqueue((0..<40).map { .post(server.url("/"), .text("\($0)")) })
    for receipt in receipts { #expect(try await receipt.outcome().response != nil) }
    #expect(harness.keys().count == 40)
    await outbox.close()
  }

  @Test func `an outbox has a disk limit: enqueuing beyond it fails (sentry-cocoa 3551, Amplitude-Swift 77)`()
    async throws
  {
    server.on("/") { _ in .response() }
    let outbox = try await harness.outbox {
      $0.delivers = false
      $0.caps.bytes = 1_000_000
    }
    var accepted = 0
    let error = await #expect(throws: OutboxError.self) {
      while accepted < 1000 {
        try await outbox.enqueue(.post(server.url("/"), .bytes(Data(count: 80_000))))
        accepted += 1
      }
    }
    #expect(error?.code == .full && accepted == 12)
    #expect(size(of: harness.folder) < 2_000_000)
    await outbox.close()

    // Delivered requests leave little on the disk, however many there were.
    let busy = try await harness.outbox()
    for _ in 0..<20 {
      try await busy.enqueue((0..<10).map { _ in .post(server.url("/"), .bytes(Data(count: 80_000))) })
      try await busy.waitUntilEmpty()
    }
    await busy.close()
    #expect(server.count("/") == accepted + 200)
    #expect(size(of: harness.folder) < 1_000_000)
  }

  private func size(of folder: URL) -> Int {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.fileSizeKey])
    return (files?.allObjects ?? []).compactMap { $0 as? URL }.reduce(0) {
      $0 + ((try? $1.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0)
    }
  }
}

/// Fetches a new token when the current one is refused: one for all waiting attempts.
private actor TokenKeeper: Interceptor {
  private let client: Client
  private let url: URL
  private var token = "stale"
  private var asking: Task<String, any Error>?

  init(_ client: Client, _ url: URL) {
    self.client = client
    self.url = url
  }

  func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
    let used = token
    do {
      return try await next(request.bearer(used))
    } catch let error as RequestError where error.status == HTTPStatus(401) {
      return try await next(request.bearer(try await fresh(instead: used)))
    }
  }

  private func fresh(instead used: String) async throws -> String {
    if token != used { return token }
    let task = asking ?? Task { [client, url] in try await client.send(.get(url)).text }
    asking = task
    defer { asking = nil }
    token = try await task.value
    return token
  }
}

private final class Signer: Interceptor {
  private let count = Locked(0)

  func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
    let number = count.withLock { count in
      count += 1
      return count
    }
    return try await next(request.field("Authorization", "Signature \(number)", isSecret: true))
  }
}
