import ErrandCore
import ErrandOutboxSQLite
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

/// Trouble around a handover: too little time, a relaunch in the middle, a client that has lost a capability.
@Suite struct BackgroundTroubleTests: PhoneSuite {
  let phone: Phone

  init() throws { phone = try Phone() }

  private func request(_ body: String = "hello") -> Request { .post(phone.server.url("/"), .text(body)) }

  private final class Failing: Interceptor {
    let fails = Locked(false)

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      if fails.withLock({ $0 }) {
        throw RequestError(.cannotConnect, message: "no token can be had", reachedServer: false)
      }
      return try await next(request)
    }
  }

  @Test func `a response counts even if a stage of the client can no longer continue`() async throws {
    let failing = Failing()
    let app = try await launch(client: { $0.attemptInterceptors = [failing] })
    phone.server.on("/refused") { _ in .response(status: 422) }
    let accepted = try await app.outbox.enqueue(request())
    let refused = try await app.outbox.enqueue(.post(phone.server.url("/refused"), .text("no")))
    await app.delivery.enterBackground()
    failing.fails.withLock { $0 = true }
    try await phone.session.whenQuiet()
    phone.session.drain()
    await app.delivery.handleEvents()
    #expect(try await app.outbox.status(of: accepted.id)?.state == .delivered)
    #expect(try await app.outbox.status(of: refused.id)?.state == .deadLettered)
    #expect(phone.server.requests.count == 2)
  }

  private struct Answering: Interceptor {
    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      do { return try await next(request) } catch {
        return Response(status: 200, fields: [:], data: Data(), url: request.url!)
      }
    }
  }

  @Test func `an interceptor that turns errors into responses does not cause deliveries`() async throws {
    let app = try await launch(client: { $0.attemptInterceptors = [Answering()] })
    let receipt = try await app.outbox.enqueue(request())
    phone.session.hold()
    await app.delivery.enterBackground()
    #expect(phone.session.count == 1)
    #expect(try await app.outbox.status(of: receipt.id)?.state == .attempting)
  }

  @Test func `a launch for the session's events does not touch the requests that wait in the session`()
    async throws
  {
    let first = try await launch()
    let sent = try await first.outbox.enqueue(request("sent"))
    let waiting = try await first.outbox.enqueue(request("waiting"))
    phone.session.hold()
    await first.delivery.enterBackground()
    await phone.kill(first)
    phone.session.go { $0.id == sent.id }
    try await phone.session.whenQuiet()
    #expect(phone.session.untold == 1 && phone.session.count == 1)
    let second = try await launch()
    phone.session.drain()
    let clock = ContinuousClock()
    let time = await clock.measure { await second.delivery.handleEvents() }
    #expect(time < .seconds(10))
    #expect(second.delivery.mayBeSuspended)
    #expect(phone.session.uploads.count == 2 && phone.session.count == 1)
    for id in [sent.id, waiting.id] { #expect(try await second.outbox.status(of: id)?.attempts == 1) }
  }

  @Test func `an app without time left closes the store, and starts nothing by itself`() async throws {
    let app = try await launch()
    for number in 0..<20 { _ = try await app.outbox.enqueue(request("\(number)")) }
    phone.session.hold()
    for limit in [Duration.zero, .milliseconds(1), .milliseconds(5), .milliseconds(20)] {
      await app.delivery.enterBackground(within: limit)
      #expect(app.delivery.mayBeSuspended, "\(limit)")
    }
    for _ in 0..<50 {
      await Task.yield()
      #expect(app.delivery.mayBeSuspended)
    }
    await app.delivery.enterBackground()
    phone.session.go()
    try await phone.session.whenQuiet()
    phone.session.drain()
    await app.delivery.handleEvents()
    #expect(try await app.outbox.statistics().counts[.delivered] == 20)
    #expect(Set(phone.arrivals.map(\.body)).count == 20 && phone.arrivals.count == 20)
  }

  @Test func `cancelling a task ends its wait`() async throws {
    let app = try await launch()
    _ = try await app.outbox.enqueue(request())
    phone.session.hold()
    let task = Task { await app.delivery.handleEvents(within: .seconds(500)) }
    for _ in 0..<20 { await Task.yield() }
    task.cancel()
    await task.value
    #expect(app.delivery.mayBeSuspended)
  }

  @Test func `a request that expires before it is due is not handed over`() async throws {
    phone.server.on("/") { _ in .response(status: 503, fields: ["Retry-After": "100"]) }
    let app = try await launch()
    let short = try await app.outbox.enqueue(request("short"), expires: .seconds(50))
    let long = try await app.outbox.enqueue(request("long"), expires: .seconds(5000))
    await app.delivery.enterBackground()
    try await phone.session.whenQuiet()
    phone.session.hold()
    phone.session.drain()
    await app.delivery.handleEvents()
    #expect(phone.session.uploads.count { $0.lease.id == short.id } == 1)
    #expect(phone.session.uploads.count { $0.lease.id == long.id } == 2)
  }

  @Test func `an app that returns at once continues with the requests that it is sending`() async throws {
    phone.server.on("/") { _ in .stall }
    phone.server.on("/quick") { _ in .response() }
    let app = try await launch({ $0.delivers = true }, client: { $0.timeout = .seconds(600) })
    app.delivery.enterForeground()
    _ = try await app.outbox.enqueue(request())
    try await phone.server.waitForRequests(1)
    let sleep = Task { await app.delivery.enterBackground(within: .seconds(600)) }
    while app.delivery.state.withLock({ $0.isForeground != false }) { await Task.yield() }
    for _ in 0..<20 { await Task.yield() }
    app.delivery.enterForeground()
    let quick = try await app.outbox.enqueue(.post(phone.server.url("/quick"), .text("q")))
    #expect(try await quick.outcome().response?.status == 200)
    await sleep.value
    #expect(phone.server.count("/") == 1)
  }

  @Test func `an outbox without its own folder is refused`() async throws {
    let outbox = try await Outbox(
      store: SQLiteOutboxStore(folder: phone.harness.folder),
      blobs: BlobFolder(in: phone.harness.folder.appending(path: "blobs")), client: phone.harness.client(),
      configuration: phone.harness.configuration)
    #expect(throws: OutboxError.self) { _ = try outbox.deliverInBackground(phone.session) }
  }
}
