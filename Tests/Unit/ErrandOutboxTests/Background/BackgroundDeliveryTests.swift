import ErrandCore
import ErrandOutboxSQLite
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox

@Suite struct BackgroundDeliveryTests: PhoneSuite {
  let phone: Phone

  init() throws { phone = try Phone() }

  private func request(_ body: String = "hello") -> Request { .post(phone.server.url("/"), .text(body)) }

  private func state(_ process: Phone.Process, _ receipt: Receipt) async throws -> OutboxEntry {
    try #require(try await process.outbox.status(of: receipt.id))
  }

  private func expectNothingHeld(_ location: SourceLocation = #_sourceLocation) throws {
    let held = try phone.held()
    #expect(held == [], sourceLocation: location)
  }

  @Test func `the session sends a request while the app is asleep, and its end is recorded`()
    async throws
  {
    let app = try await launch()
    let receipt = try await app.outbox.enqueue(request())
    phone.session.hold()
    await app.delivery.enterBackground()
    #expect(app.delivery.mayBeSuspended)
    phone.session.go()
    try await phone.session.whenQuiet()
    phone.session.drain()
    await app.delivery.handleEvents()
    #expect(app.delivery.mayBeSuspended)
    #expect(try await state(app, receipt).state == .delivered)
    #expect(phone.arrivals.map(\.body) == ["hello"])
    let folder = phone.harness.folder.appending(path: "handed").path
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
  }

  @Test func `the process keeps no file in the folder open when the app may be suspended`() async throws {
    phone.session.hold()
    let app = try await launch()
    _ = try await app.outbox.enqueue(request())
    #expect(try phone.held().isEmpty == false)
    await app.delivery.enterBackground()
    try expectNothingHeld()
    // The store is opened only for this.
    let late = try await app.outbox.enqueue(request("late"))
    try expectNothingHeld()
    #expect(try await state(app, late).state == .stored)
    try expectNothingHeld()
  }

  @Test func `only the user can read the body's file`() async throws {
    phone.session.hold()
    let app = try await launch()
    let body = Data.seeded(300_000)
    _ = try await app.outbox.enqueue(.post(phone.server.url("/"), .bytes(body)))
    await app.delivery.enterBackground()
    let upload = try #require(phone.session.uploads.first)
    let file = try #require(upload.file)
    #expect(try Data(contentsOf: file) == body)
    #expect(upload.length == 300_000)
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func `a credential is created when a request is handed over, and is not stored in the outbox`()
    async throws
  {
    struct Bearer: Interceptor {
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        var request = request
        request.fields.set("Authorization", "Bearer s3cr3t-of-today")
        return try await next(request)
      }
    }
    let app = try await launch(client: { $0.attemptInterceptors = [Bearer()] })
    _ = try await app.outbox.enqueue(request())
    phone.session.hold()
    await app.delivery.enterBackground()
    #expect(phone.session.uploads.map { $0.fields["Authorization"] } == ["Bearer s3cr3t-of-today"])
    let files = FileManager.default.enumerator(atPath: phone.harness.folder.path)
    while let name = files?.nextObject() as? String {
      let data = (try? Data(contentsOf: phone.harness.folder.appending(path: name))) ?? Data()
      #expect(data.range(of: Data("s3cr3t".utf8)) == nil, "\(name)")
    }
  }

  @Test func `a killed process finds the end that was not reported to it`() async throws {
    let first = try await launch()
    let receipt = try await first.outbox.enqueue(request())
    phone.session.hold()
    await first.delivery.enterBackground()
    await phone.kill(first)
    phone.session.go()
    try await phone.session.whenQuiet()
    #expect(phone.session.untold == 1)
    let second = try await launch()
    phone.session.drain()
    await second.delivery.handleEvents()
    try expectNothingHeld()
    #expect(try await state(second, receipt).state == .delivered)
    #expect(phone.arrivals.count == 1)
  }

  @Test func `a lost task is an attempt that counts, and the next attempt has the same key`() async throws {
    let first = try await launch()
    let receipt = try await first.outbox.enqueue(request())
    phone.session.hold()
    await first.delivery.enterBackground()
    await phone.kill(first)
    phone.session.lose()
    let second = try await launch { $0.delivers = true }
    second.delivery.enterForeground()
    let again = try #require(try await second.outbox.receipt(for: receipt.id))
    #expect(try await again.outcome().response?.status == 200)
    #expect(try await state(second, receipt).attempts == 2)
    #expect(phone.arrivals.map(\.key) == phone.session.uploads.map { $0.fields["Idempotency-Key"] ?? "" })
  }

  @Test func `the foreground takes back requests that the session has not started, and does not count them`()
    async throws
  {
    let app = try await launch { $0.delivers = true }
    app.delivery.enterForeground()
    await app.delivery.enterBackground()
    phone.session.hold()
    let receipt = try await app.outbox.enqueue(request())
    await app.delivery.enterBackground()
    #expect(phone.session.count == 1)
    app.delivery.enterForeground()
    #expect(try await receipt.outcome().response?.status == 200)
    #expect(try await state(app, receipt).attempts == 1)
    #expect(phone.arrivals.count == 1)
    #expect(phone.session.count == 0)
  }

  @Test func `a force-quit loses no request`() async throws {
    let first = try await launch()
    for index in 0..<5 {
      _ = try await first.outbox.enqueue(request("\(index)"), lane: index < 3 ? "l" : nil)
    }
    phone.session.hold()
    await first.delivery.enterBackground()
    await phone.kill(first)
    phone.session.forceQuit()
    let second = try await launch { $0.delivers = true }
    second.delivery.enterForeground()
    try await second.outbox.waitUntilEmpty()
    #expect(Set(phone.arrivals.map(\.body)) == ["0", "1", "2", "3", "4"])
    #expect(phone.arrivals.map(\.body).filter { $0 < "3" } == ["0", "1", "2"])
  }

  @Test func `the requests of a lane are sent one by one, as the system wakes the app`() async throws {
    let app = try await launch()
    for index in 0..<4 { _ = try await app.outbox.enqueue(request("\(index)"), lane: "l") }
    await app.delivery.enterBackground()
    for _ in 0..<4 {
      try await phone.session.whenQuiet()
      phone.session.drain()
      await app.delivery.handleEvents()
    }
    #expect(phone.arrivals.map(\.body) == ["0", "1", "2", "3"])
    #expect(try await app.outbox.statistics().counts[.delivered] == 4)
  }

  @Test func `a request with Retry-After is handed over again, and not before its time`() async throws {
    phone.server.script("POST", "/", [.response(status: 503, fields: ["Retry-After": "100"], body: Data())])
    let app = try await launch()
    let receipt = try await app.outbox.enqueue(request())
    await app.delivery.enterBackground()
    try await phone.session.whenQuiet()
    phone.session.hold()
    phone.session.drain()
    await app.delivery.handleEvents()
    #expect(phone.session.uploads.count == 2)
    let wait = try #require(phone.session.uploads.last?.wait)
    #expect(wait > .seconds(99) && wait < .seconds(150))
    #expect(try await state(app, receipt).attempts == 2)
    // The foreground takes it back, and its due time is unchanged.
    let due = try #require(phone.session.uploads.last).lease
    app.delivery.enterForeground()
    try await waitUntil { try await state(app, receipt).state != .attempting }
    let entry = try await state(app, receipt)
    #expect(entry.state == .stored && entry.attempts == 1 && due.id == receipt.id)
    #expect((entry.nextAttempt?.timeIntervalSinceNow ?? 0) > 90)
  }

  @Test func `a request whose body cannot be written is not handed over, and not tried repeatedly`()
    async throws
  {
    // With a short backoff, it would be due again before the app is asleep.
    let app = try await launch {
      $0.delivery.backoff = .seconds(10_000)
      $0.delivery.maxBackoff = .seconds(10_000)
      $0.random = SeededRandom(seed: 1)
    }
    let receipt = try await app.outbox.enqueue(request())
    try Data().write(to: phone.harness.folder.appending(path: "handed"))
    await app.delivery.enterBackground()
    #expect(phone.session.uploads.isEmpty)
    #expect(app.delivery.mayBeSuspended)
    let entry = try await state(app, receipt)
    #expect(entry.state == .stored)
    #expect(entry.attempts == 1)
    #expect(entry.reason?.contains("folder") == true)
  }

  @Test func `an encrypted outbox is handed over only if that is allowed`() async throws {
    let key = OutboxKey.random()
    await #expect(throws: OutboxError.self) { _ = try await launch { $0.key = key } }
    _ = try await launch {
      $0.key = key
    } background: {
      $0.writesPlaintext = true
    }
  }

  @Test func `a lane that requires charging is handed over only on external power`() async throws {
    let isCharging = Locked(false)
    phone.session.hold()
    let app = try await launch(background: {
      $0.constraints = {
        $0 == "photos" ? LaneConstraints(requiresUnmetered: true, requiresCharging: true) : .none
      }
      $0.isCharging = { isCharging.withLock { $0 } }
    })
    _ = try await app.outbox.enqueue(request("photo"), lane: "photos")
    _ = try await app.outbox.enqueue(request("message"), lane: "chat")
    await app.delivery.enterBackground()
    #expect(phone.session.uploads.map { $0.constraints } == [.none])
    isCharging.withLock { $0 = true }
    await app.delivery.enterBackground()
    #expect(phone.session.uploads.map { $0.constraints.allowsExpensiveNetworkAccess } == [true, false])
    #expect(phone.session.count == 2)
  }

  @Test func `closing the outbox ends waits for a handover`() async throws {
    let app = try await launch()
    await app.outbox.close()
    await app.delivery.enterBackground(within: .seconds(5))
    await app.delivery.handleEvents(within: .seconds(5))
    #expect(phone.session.uploads.isEmpty)
  }

  @Test func `a store that does not support handovers is refused with the reason`() async throws {
    let outbox = try await Outbox(
      store: OddStore(try await SQLiteOutboxStore(folder: phone.harness.folder), .losesLookups),
      folder: phone.harness.folder, client: phone.harness.client(),
      configuration: phone.harness.configuration)
    #expect(throws: OutboxError.self) { _ = try outbox.deliverInBackground(phone.session) }
  }
}
