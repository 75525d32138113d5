import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Keeps spans and measurements.
private final class Collected: Tracer, Meter {
  private let state = Locked<(spans: [TraceSpan], durations: [(Double, [String: TraceValue])])>(([], []))

  var spans: [TraceSpan] { state.withLock { $0.spans } }
  var durations: [(Double, [String: TraceValue])] { state.withLock { $0.durations } }
  var attempts: [TraceSpan] { spans.filter { $0.kind == .client } }
  var calls: [TraceSpan] { spans.filter { $0.kind == .internal } }

  func end(_ span: TraceSpan) { state.withLock { $0.spans.append(span) } }
  func record(duration: Double, _ attributes: [String: TraceValue]) {
    state.withLock { $0.durations.append((duration, attributes)) }
  }
}

@Suite(.timeLimit(.minutes(1))) struct TracingTests {
  private let collected = Collected()

  private func configured(_ change: @escaping (inout ClientConfiguration) -> Void = { _ in })
    -> Stage.Configured
  {
    Stage.configured { [collected] in
      $0.tracing = Tracing(collected, meter: collected, origins: [URL(string: "http://a.test")!])
      change(&$0)
    }
  }

  @Test func `a call continues the task's trace, and each attempt is a span that the server is sent`()
    async throws
  {
    let stage = configured { $0.retry = .attempts(2) }.responding { request in
      request.index == 0 ? .response(status: 503) : .response()
    }
    let outer = TraceContext(traceID: .random(), spanID: .random(), state: "a=1")
    try await TraceContext.$current.withValue(outer) {
      _ = try await stage.client.send(.get("http://a.test/x?token=abc").attemptsAtOnce(2))
    }
    let call = try #require(collected.calls.first)
    #expect(call.parent == outer)
    #expect(call.failure == nil)
    #expect(collected.attempts.count == 2)
    for (span, request) in zip(collected.attempts, stage.stub.requests) {
      #expect(span.parent == call.context)
      #expect(span.context.traceID == outer.traceID)
      #expect(request.fields["traceparent"] == span.context.traceparent)
      #expect(request.fields["tracestate"] == "a=1")
    }
    let attributes = collected.attempts.map(\.attributes)
    #expect(attributes[0]["http.response.status_code"] == 503)
    #expect(attributes[0]["error.type"] == "503")
    #expect(attributes[0]["http.request.resend_count"] == nil)
    #expect(attributes[1]["http.request.resend_count"] == 1)
    #expect(attributes[1]["error.type"] == nil)
    #expect(attributes[1]["url.full"] == "http://a.test/x?token=***")
    #expect(attributes[1]["server.address"] == "a.test")
    #expect(attributes[1]["server.port"] == 80)
    #expect(attributes[1]["http.request.method"] == "GET")
    #expect(collected.attempts.map(\.name) == ["GET", "GET"])
    #expect(collected.durations.count == 2)
    #expect(collected.durations[1].1["url.full"] == nil)
  }

  @Test func `another origin learns nothing of the trace, not by a redirect either`() async throws {
    let stage = configured().responding { request in
      request.url.host == "a.test"
        ? .response(status: 302, fields: ["Location": "http://b.test/"]) : .response()
    }
    try await stage.client.send(.get("http://a.test/"))
    try await stage.client.send(.get("http://b.test/"))
    let parents = stage.stub.requests.map { $0.fields["traceparent"] }
    #expect(parents[0] != nil)
    #expect(parents[1...2] == [nil, nil])
    #expect(collected.attempts.count == 2)
  }

  @Test func `a method that is not known is another, and a failure says its kind`() async throws {
    let stage = configured { $0.retry = .never }.responding { _ in .fail(.connectionLost, message: "lost") }
    _ = try? await stage.client.send(Request("PURGE", "http://a.test/"))
    let span = try #require(collected.attempts.first)
    #expect(span.name == "HTTP")
    #expect(span.attributes["http.request.method"] == "_OTHER")
    #expect(span.attributes["http.request.method_original"] == "PURGE")
    #expect(span.attributes["error.type"] == "connectionLost")
    #expect(span.failure == "lost")
    #expect(collected.calls.first?.failure == "lost")
  }

  @Test func `a call that is cancelled ends its spans`() async throws {
    let stage = configured().responding { _ in .stall }
    let call = stage.client.start(.get("http://a.test/"))
    try await stage.stub.waitForRequests(1)
    call.cancel()
    _ = await call.result
    await stage.expectNothingLeft()
    #expect(collected.attempts.count == 1)
    #expect(collected.calls.first?.failure == "cancelled: it was cancelled by hand")
  }

  @Test func `spans are sent to a collector in batches, and what is too much is dropped and counted`()
    async throws
  {
    let clock = VirtualClock()
    let bodies = Locked<[String: [Data]]>([:])
    let stub = StubTransport(clock: clock) { request in
      bodies.withLock { $0[request.url.path, default: []].append(request.body) }
      return .response()
    }
    var configuration = ClientConfiguration()
    configuration.clock = clock
    var limits = OTLPExporter.Limits()
    (limits.waiting, limits.batch) = (5, 2)
    let exporter = OTLPExporter(
      to: URL(string: "http://collector.test:4318")!,
      through: Client(transport: stub, configuration: configuration), service: "tests", limits: limits)
    for number in 0..<8 {
      exporter.end(.sample(number))
      exporter.record(duration: 0.02, ["http.request.method": "GET"])
    }
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(5))
    await exporter.flush()
    #expect(exporter.dropped == 3)
    let sent = bodies.withLock { $0 }
    #expect(sent["/v1/traces"]?.count == 3)
    for body in sent["/v1/traces"] ?? [] { #expect(OTLPSchema.problems(ofTraces: body).isEmpty) }
    let metrics = try #require(sent["/v1/metrics"])
    for body in metrics { #expect(OTLPSchema.problems(ofMetrics: body).isEmpty) }
    #expect(String(decoding: metrics[0], as: UTF8.self).contains(#""count":"8""#))
  }
}

extension TraceSpan {
  fileprivate static func sample(_ number: Int) -> TraceSpan {
    TraceSpan(
      kind: .client, name: "GET", context: TraceContext(), parent: TraceContext(), links: [TraceContext()],
      start: Date(timeIntervalSince1970: 1000), end: Date(timeIntervalSince1970: 1001),
      attributes: ["http.response.status_code": 200, "url.full": "http://a.test/"],
      failure: number == 0 ? "failed" : nil)
  }
}
