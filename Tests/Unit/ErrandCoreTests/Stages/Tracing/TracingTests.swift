import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Stores spans and measurements.
private final class Collected: RequestTracer, RequestMeter {
  private let state = Locked<(spans: [TraceSpan], durations: [(Double, [String: TraceValue])])>(([], []))
  private let open = Locked<Set<SpanID>>([])

  /// The spans that were started and have not ended.
  var openSpans: Int { open.withLock { $0.count } }

  var spans: [TraceSpan] { state.withLock { $0.spans } }
  var durations: [(Double, [String: TraceValue])] { state.withLock { $0.durations } }
  var attempts: [TraceSpan] { spans.filter { $0.kind == .client } }
  var calls: [TraceSpan] { spans.filter { $0.kind == .internal } }

  func begin(_ kind: TraceSpan.Kind, named name: String, in parent: TraceContext?) -> TraceContext {
    let context = parent?.child() ?? TraceContext()
    open.withLock { _ = $0.insert(context.spanID) }
    return context
  }

  func end(_ span: TraceSpan) {
    open.withLock { _ = $0.remove(span.context.spanID) }
    state.withLock { $0.spans.append(span) }
  }

  func record(duration: Double, _ attributes: [String: TraceValue]) {
    state.withLock { $0.durations.append((duration, attributes)) }
  }
}

/// Sends other fields with each span.
private struct FieldTracer: RequestTracer {
  func fields(of context: TraceContext) -> HTTPFields {
    ["traceparent": context.traceparent, "baggage": "span=\(context.spanID)", "X-Own": "tracer"]
  }

  func end(_ span: TraceSpan) {}
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

  @Test func `a call continues the task's trace, and each attempt is a span whose context is sent`()
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
    #expect(attributes[1]["url.full"] == "http://a.test/x?token=REDACTED")
    #expect(attributes[1]["server.address"] == "a.test")
    #expect(attributes[1]["server.port"] == 80)
    #expect(attributes[1]["http.request.method"] == "GET")
    #expect(collected.attempts.map(\.name) == ["GET", "GET"])
    #expect(collected.durations.count == 2)
    #expect(collected.durations[1].1["url.full"] == nil)
  }

  @Test func `a second attempt is a span within that of its call, and each attempt has its own context`()
    async throws
  {
    let stage = configured().responding { request in
      request.index == 130 ? .response().after(.seconds(5)) : .response()
    }
    let request = Request.get("http://a.test/").hedged(after: .seconds(1))
    for _ in 0..<130 { try await stage.client.send(request) }
    try await stage.clock.run { _ = try await stage.client.send(request) }
    await stage.expectNothingLeft()
    let calls = Array(collected.calls.dropFirst(130))
    let call = try #require(calls.first { $0.parent == nil })
    let hedge = try #require(calls.first { $0.parent == call.context })
    #expect(calls.count == 2)
    let attempts = Array(collected.attempts.dropFirst(130))
    #expect(attempts.count == 2)
    let lost = try #require(attempts.first { $0.parent == call.context })
    let won = try #require(attempts.first { $0.parent == hedge.context })
    #expect(lost.attributes["error.type"] == "cancelled" && won.failure == nil)
    let sent = stage.stub.requests.suffix(2).map { $0.fields["traceparent"] }
    #expect(sent == [lost.context.traceparent, won.context.traceparent])
    #expect(collected.openSpans == 0)
  }

  @Test(arguments: [("a=1,b=2,a=3", "a=1,b=2"), ("A=1", nil), ("", nil)])
  func `a state that a program made is sent only as the recommendation allows`(state: String, sent: String?)
    async throws
  {
    let stage = configured().responding { _ in .response() }
    let outer = TraceContext(traceID: .random(), spanID: .random(), state: state)
    try await TraceContext.$current.withValue(outer) {
      _ = try await stage.client.send(.get("http://a.test/"))
    }
    #expect(stage.stub.requests.map { $0.fields["tracestate"] } == [sent])
  }

  @Test func `another origin receives nothing of the trace, not even through a redirect`() async throws {
    let stage = configured().responding { request in
      request.url.host == "a.test"
        ? .response(status: 302, fields: ["Location": "http://b.test/"]) : .response()
    }
    try await stage.client.send(.get("http://a.test/"))
    try await stage.client.send(.get("http://b.test/"))
    let parents = stage.stub.requests.map { $0.fields["traceparent"] }
    #expect(parents[0] != nil)
    #expect(parents[1...2] == [nil, nil])
    #expect(collected.attempts.count == 3)
  }

  @Test func `the fields of a tracer go to the listed origins only, and replace no field of the caller`()
    async throws
  {
    let stage = Stage.configured {
      $0.tracing = Tracing(FieldTracer(), origins: [URL(string: "http://a.test")!])
    }.responding { request in
      request.url.path() == "/to-a" || request.url.path() == "/to-b"
        ? .response(status: 302, fields: ["Location": "http://\(request.url.path().suffix(1)).test/"])
        : .response()
    }
    try await stage.client.send(.get("http://a.test/to-a"))
    try await stage.client.send(.get("http://a.test/to-b").field("X-Own", "caller"))
    let fields = stage.stub.requests.map(\.fields)
    for sent in fields[0...2] {
      let span = try #require(sent["traceparent"]).split(separator: "-")[2]
      #expect(sent.values(of: "baggage") == ["span=\(span)"])
    }
    #expect(fields.map { $0["X-Own"] } == ["tracer", "tracer", "caller", nil])
    #expect(fields[3]["baggage"] == nil && fields[3]["traceparent"] == nil)
  }

  @Test(arguments: [false, true])
  func `a redirect is sent with a separate span, as a request that is sent again`(isSigned: Bool) async throws
  {
    let stage = configured { if isSigned { $0.signer = NumberingSigner() } }.responding { request in
      switch request.path {
      case "/x": .response(status: 307, fields: ["Location": "http://b.test/y"])
      case "/y": .response(status: 303, fields: ["Location": "http://a.test/z"])
      default: .response()
      }
    }
    try await stage.client.send(.post("http://a.test/x", .text("body")))
    let attributes = collected.attempts.map(\.attributes)
    #expect(attributes.map { $0["url.full"] } == ["http://a.test/x", "http://b.test/y", "http://a.test/z"])
    #expect(attributes.map { $0["server.address"] } == ["a.test", "b.test", "a.test"])
    #expect(attributes.map { $0["http.response.status_code"] } == [307, 303, 200])
    #expect(attributes.map { $0["http.request.resend_count"] } == [nil, 1, 2])
    #expect(collected.attempts.map(\.name) == ["POST", "POST", "GET"])
    let sent = collected.attempts.map { $0.context.traceparent }
    try #require(sent.count == 3)
    #expect(stage.stub.requests.map { $0.fields["traceparent"] } == [sent[0], nil, sent[2]])
    #expect(Set(sent).count == 3)
    #expect(collected.durations.count == 3)
    #expect(collected.openSpans == 0)
  }

  @Test func `a traceparent that the caller has set is not changed`() async throws {
    let stage = configured().responding { request in
      request.path == "/x" ? .response(status: 302, fields: ["Location": "/y"]) : .response()
    }
    let own = TraceContext().traceparent
    try await stage.client.send(.get("http://a.test/x").field("traceparent", own))
    #expect(stage.stub.requests.map { $0.fields["traceparent"] } == [own, own])
  }

  @Test func `secrets of a URL are redacted as the conventions say`() async throws {
    let stage = configured().responding { _ in .response() }
    let url = "http://ann:word@a.test/?AWSAccessKeyId=1&sig=2&Signature=3&X-Goog-Signature=4&q=5"
    try await stage.client.send(.get(url))
    #expect(
      collected.attempts[0].attributes["url.full"]
        == .string(
          "http://a.test/?AWSAccessKeyId=REDACTED&sig=REDACTED&Signature=REDACTED"
            + "&X-Goog-Signature=REDACTED&q=5"))
  }

  @Test func `a call that is cancelled before anything is sent leaves no span open`() async throws {
    let stage = configured { $0.limits = ConcurrencyLimits(total: 1) }.responding { _ in .stall }
    let first = stage.client.start(.get("http://a.test/1"))
    try await stage.stub.waitForRequests(1)
    let second = stage.client.start(.get("http://a.test/2"))
    await stage.reachWaiting(1)
    second.cancel()
    first.cancel()
    _ = await (first.result, second.result)
    await stage.expectNothingLeft()
    #expect(collected.openSpans == 0)
  }

  @Test func `an unknown method is recorded as another method, and a failure has its type`() async throws {
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
    #expect(collected.calls.first?.failure == "cancelled: its call was cancelled")
  }
}
