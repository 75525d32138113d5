import ErrandTesting
import Testing

@testable import ErrandCore
@testable import ErrandObservability

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite(.timeLimit(.minutes(1))) struct OTLPExporterTests {
  /// A collector that stores the requests that it receives.
  private final class Collector: Sendable {
    let bodies = Locked<[(path: String, body: Data)]>([])
    let notices = Locked<[OTLPNotice]>([])
    /// The number of requests that were cancelled.
    let cancelled = Locked(0)
    let clock = VirtualClock()

    var traces: [Data] { bodies.withLock { $0 }.filter { $0.path == "/v1/traces" }.map(\.body) }
    var metrics: [Data] { bodies.withLock { $0 }.filter { $0.path == "/v1/metrics" }.map(\.body) }

    func exporter(
      waiting: Int = 2048, batch: Int = 512, series: Int = 200,
      _ respond: @escaping StubTransport.Handler = { _ in .response() }
    ) -> OTLPExporter {
      let stub = StubTransport(clock: clock) { [self] request in
        bodies.withLock { $0.append((request.url.path, request.body)) }
        return try await respond(request)
      }
      var configuration = ClientConfiguration()
      configuration.clock = clock
      configuration.listeners = [
        EventRecorder { [self] event in
          if case .cancelled = event.kind { cancelled.withLock { $0 += 1 } }
        }
      ]
      var limits = OTLPExporter.Limits()
      (limits.waiting, limits.batch, limits.series) = (waiting, batch, series)
      return OTLPExporter(
        to: URL(string: "http://collector.test:4318")!,
        through: Client(transport: stub, configuration: configuration), service: "tests", limits: limits,
        onNotice: { [self] notice in notices.withLock { $0.append(notice) } })
    }
  }

  private let collector = Collector()

  @Test func `spans are sent to a collector in batches, and spans beyond the limit are dropped and counted`()
    async throws
  {
    let gate = StubGate()
    let exporter = collector.exporter(waiting: 5, batch: 2) { _ in .response().behind(gate) }
    for number in 0..<8 {
      exporter.end(.sample(number))
      exporter.record(duration: 0.02, ["http.request.method": "GET"])
    }
    gate.open()
    await #expect(collector.clock.run { await exporter.flush() })
    #expect(exporter.dropped == 3)
    #expect(collector.traces.count == 3)
    for body in collector.traces { #expect(OTLPSchema.problems(ofTraces: body).isEmpty) }
    for body in collector.metrics { #expect(OTLPSchema.problems(ofMetrics: body).isEmpty) }
    #expect(String(decoding: try #require(collector.metrics.first), as: UTF8.self).contains(#""count":"8""#))
    #expect(collector.notices.withLock { $0.count } == 1)
  }

  @Test func `a full batch does not wait for the delay`() async throws {
    let exporter = collector.exporter(batch: 2)
    for number in 0..<3 { exporter.end(.sample(number)) }
    while collector.traces.isEmpty { await Task.yield() }
    #expect(collector.clock.now.offset == .zero)
    #expect(collector.traces.count == 1)
    await collector.clock.advance(by: .seconds(5))
    #expect(collector.traces.count == 2)
  }

  @Test func `a flush does not wait for the delay`() async throws {
    let exporter = collector.exporter()
    exporter.end(.sample(1))
    await exporter.flush()
    #expect(collector.traces.count == 1)
    await exporter.flush()
    #expect(collector.traces.count == 1)
  }

  @Test func `spans that end while a batch is sent wait for the next delay`() async throws {
    let gate = StubGate()
    let exporter = collector.exporter { _ in .response().behind(gate) }
    exporter.end(.sample(1))
    await collector.clock.advance(by: .seconds(5))
    #expect(collector.traces.count == 1)
    for number in 2...4 { exporter.end(.sample(number)) }
    gate.open()
    await collector.clock.advance(by: .seconds(4))
    #expect(collector.traces.count == 1)
    await collector.clock.advance(by: .seconds(1))
    try #require(collector.traces.count == 2)
    let ids = String(decoding: collector.traces[1], as: UTF8.self).matches(of: /"spanId"/)
    #expect(ids.count == 6, "three spans, each with a link")
  }

  @Test func `a busy collector is retried after the time that it asks for`() async throws {
    let times = Locked<[Duration]>([])
    let exporter = collector.exporter { [clock = collector.clock] _ in
      times.withLock { $0.append(clock.now.offset) }
      return times.withLock { $0.count } == 1
        ? .response(status: 503, fields: ["Retry-After": "7"]) : .response()
    }
    exporter.end(.sample(1))
    await #expect(collector.clock.run { await exporter.flush() })
    #expect(times.withLock { $0 } == [.zero, .seconds(7)])
    #expect(exporter.dropped == 0)
    #expect(collector.notices.withLock { $0.isEmpty })
  }

  @Test(arguments: [400, 404, 500, 501]) func `a status that OTLP does not list is not retried`(status: Int)
    async throws
  {
    let exporter = collector.exporter { _ in .response(status: status) }
    exporter.end(.sample(1))
    await #expect(collector.clock.run { await exporter.flush() })
    #expect(collector.traces.count == 1)
    #expect(exporter.dropped == 1)
  }

  @Test func `the exporter counts spans that a collector rejects, of a whole request and of a part`()
    async throws
  {
    let exporter = collector.exporter(batch: 2) { request in
      String(decoding: request.body, as: UTF8.self).contains("failed")
        ? .response(status: 400)
        : .response(
          fields: ["Content-Type": "application/json"],
          body: #"{"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}}"#)
    }
    // The sample with the number 0 has failed, and is sent with the first batch of two.
    for number in 0..<4 { exporter.end(.sample(number)) }
    await exporter.flush()
    #expect(exporter.dropped == 3)
  }

  @Test(arguments: [("1", 1), (#""-3""#, 0), (#""100""#, 2), (#""many""#, 0), ("null", 0)])
  func `the number of rejected spans may be a number or a string, and is at most that of the batch`(
    rejected: String, dropped: Int
  ) async throws {
    let exporter = collector.exporter(batch: 2) { _ in
      .response(body: #"{"partialSuccess":{"rejectedSpans":\#(rejected)}}"#)
    }
    for number in 1...2 { exporter.end(.sample(number)) }
    await exporter.flush()
    #expect(exporter.dropped == dropped)
  }

  @Test func `a span that ends before it begins is sent with no length`() throws {
    let span = TraceSpan(
      kind: .client, name: "GET", context: TraceContext(), parent: nil, links: [],
      start: Date(timeIntervalSince1970: 1001), end: Date(timeIntervalSince1970: 1000), attributes: [:],
      failure: nil)
    let text = String(decoding: try OTLPTraces([span], OTLPResource(service: "a", [:])).json(), as: UTF8.self)
    #expect(text.matches(of: /UnixNano":"1001000000000"/).count == 2)
  }

  @Test func `sets of attributes beyond the limit are dropped and counted`() async throws {
    let exporter = collector.exporter(series: 2)
    for number in 0..<5 { exporter.record(duration: 0.1, ["server.port": .int(number)]) }
    exporter.record(duration: 0.1, ["server.port": 0])
    await exporter.flush()
    #expect(exporter.dropped == 3)
    let text = String(decoding: try #require(collector.metrics.first), as: UTF8.self)
    #expect(text.matches(of: /"count":"[12]"/).count == 2)
  }

  @Test func `a flush ends in time without a collector, and its spans are sent when the collector is back`()
    async throws
  {
    let isAway = Locked(true)
    let exporter = collector.exporter { _ in
      isAway.withLock { $0 } ? .fail(.cannotConnect, message: "refused") : .response()
    }
    for number in 0..<10 { exporter.end(.sample(number)) }
    let isDone = await collector.clock.run { await exporter.flush(within: .seconds(3)) }
    #expect(!isDone)
    #expect(collector.clock.now.offset == .seconds(3))
    #expect(exporter.dropped == 0)
    isAway.withLock { $0 = false }
    await #expect(collector.clock.run { await exporter.flush() })
    #expect(exporter.dropped == 0)
  }

  @Test func `a shutdown ends in time, cancels its requests, and drops what was not sent`() async throws {
    let exporter = collector.exporter { _ in .response().behind(StubGate()) }
    exporter.end(.sample(1))
    let isDone = await collector.clock.run { await exporter.shutdown(within: .seconds(2)) }
    #expect(!isDone)
    #expect(collector.clock.now.offset == .seconds(2))
    #expect(exporter.dropped == 1)
    exporter.end(.sample(2))
    await #expect(collector.clock.run { await exporter.flush() })
    #expect(exporter.dropped == 2)
    #expect(collector.traces.count == 1)
    while collector.cancelled.withLock({ $0 }) == 0, !Task.isCancelled { await Task.yield() }
    #expect(collector.cancelled.withLock { $0 } == 1)
  }

  @Test func `four batches are on their way at once, whatever the client's other requests do`() async throws {
    let gate = StubGate()
    let stub = StubTransport(clock: collector.clock) { [collector] request in
      collector.bodies.withLock { $0.append((request.url.path, request.body)) }
      return .response().behind(gate)
    }
    var configuration = ClientConfiguration()
    configuration.clock = collector.clock
    configuration.limits = ConcurrencyLimits(total: 2, perOrigin: 2)
    let client = Client(transport: stub, configuration: configuration)
    var limits = OTLPExporter.Limits()
    limits.batch = 1
    let exporter = OTLPExporter(
      to: URL(string: "http://collector.test:4318")!, through: client, service: "tests", limits: limits)
    let others = (0..<4).map { client.start(.get("http://collector.test:4318/\($0)")) }
    for number in 0..<6 { exporter.end(.sample(number)) }
    while collector.traces.count < 4, !Task.isCancelled { await Task.yield() }
    // A request that waited for a slot would reach its deadline.
    await collector.clock.advance(by: .seconds(9))
    #expect(collector.traces.count == 4)
    gate.open()
    await #expect(collector.clock.run { await exporter.flush() })
    #expect(collector.traces.count == 6)
    #expect(exporter.dropped == 0)
    for other in others { _ = try await other.value }
  }

  @Test(arguments: [
    (307, "http://elsewhere.test/v1/traces"), (302, "http://collector.test:4318/sign-in"),
  ]) func `spans do not follow a redirect to another origin or to a GET`(status: Int, target: String)
    async throws
  {
    let exporter = collector.exporter { request in
      request.url.path == "/v1/traces" && request.url.host() == "collector.test"
        ? .response(status: status, fields: ["Location": target]) : .response()
    }
    exporter.end(.sample(1))
    await #expect(collector.clock.run { await exporter.flush() })
    #expect(collector.bodies.withLock { $0.count } == 1)
    #expect(exporter.dropped == 1)
    #expect(collector.notices.withLock { $0.count } == 1)
  }

  @Test func `a span with any dates can be sent`() async throws {
    let exporter = collector.exporter()
    for date in [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: .infinity)] {
      let span = TraceSpan.sample(1)
      exporter.end(
        TraceSpan(
          kind: .client, name: "GET", context: span.context, parent: nil, links: [], start: date, end: date,
          attributes: [:], failure: nil))
    }
    await exporter.flush()
    #expect(collector.traces.count == 1)
    for body in collector.traces { #expect(OTLPSchema.problems(ofTraces: body).isEmpty) }
  }

  @Test func `a collector that hangs costs the time-out of a request, and then the batch is sent again`()
    async throws
  {
    let exporter = collector.exporter { [collector] _ in
      collector.traces.count == 1 ? .response().behind(StubGate()) : .response()
    }
    exporter.end(.sample(1))
    await #expect(collector.clock.run { await exporter.flush(within: .seconds(20)) })
    #expect(collector.clock.now.offset >= .seconds(10))
    #expect(exporter.dropped == 0)
  }
}

extension TraceSpan {
  static func sample(_ number: Int, name: String = "GET") -> TraceSpan {
    TraceSpan(
      kind: .client, name: name, context: TraceContext(), parent: TraceContext(), links: [TraceContext()],
      start: Date(timeIntervalSince1970: 1000), end: Date(timeIntervalSince1970: 1001),
      attributes: ["http.response.status_code": 200, "url.full": "http://a.test/"],
      failure: number == 0 ? "failed" : nil)
  }
}
