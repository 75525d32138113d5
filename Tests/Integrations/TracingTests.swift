import Errand
import ErrandTesting
import ErrandTracing
import Foundation
import Synchronization
import Tracing

private struct ContextKey: ServiceContextKey {
  typealias Value = TraceContext
}

private struct BaggageKey: ServiceContextKey {
  typealias Value = String
}

/// Stores spans, and propagates W3C Trace Context and a baggage.
private final class StoringTracer: Tracer {
  final class Span: TracingSpan {
    struct State: Sendable {
      var name: String
      var attributes: SpanAttributes = [:]
      var status: SpanStatus?
      var links: [SpanLink] = []
      var ends = 0
    }

    let context: ServiceContext
    let parent: TraceContext?
    let kind: SpanKind
    private let state: Mutex<State>

    init(_ name: String, in parent: ServiceContext, _ kind: SpanKind) {
      var context = parent
      self.parent = parent[ContextKey.self]
      context[ContextKey.self] = self.parent?.child() ?? TraceContext()
      self.context = context
      self.kind = kind
      state = Mutex(State(name: name))
    }

    var own: TraceContext? { context[ContextKey.self] }
    var stored: State { state.withLock { $0 } }
    var operationName: String {
      get { state.withLock { $0.name } }
      set { state.withLock { $0.name = newValue } }
    }
    var attributes: SpanAttributes {
      get { state.withLock { $0.attributes } }
      set { state.withLock { $0.attributes = newValue } }
    }
    var isRecording: Bool { true }
    func setStatus(_ status: SpanStatus) { state.withLock { $0.status = status } }
    func addLink(_ link: SpanLink) { state.withLock { $0.links.append(link) } }
    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
      state.withLock { $0.ends += 1 }
    }
  }

  let spans = Collected<Span>()

  func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
  ) -> Span {
    let span = Span(operationName, in: context(), kind)
    spans.append(span)
    return span
  }

  func extract<Carrier, Extract>(
    _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
  ) where Extract: Extractor, Extract.Carrier == Carrier {
    context[ContextKey.self] = extractor.extract(key: "traceparent", from: carrier).flatMap {
      TraceContext(traceparent: $0)
    }
  }

  func inject<Carrier, Inject>(_ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
  where Inject: Injector, Inject.Carrier == Carrier {
    if let own = context[ContextKey.self] {
      injector.inject(own.traceparent, forKey: "traceparent", into: &carrier)
    }
    if let baggage = context[BaggageKey.self] { injector.inject(baggage, forKey: "baggage", into: &carrier) }
  }
}

private let api = URL(string: "https://a.test")!

private func client(_ tracer: SwiftTracer, _ stub: StubTransport) -> Client {
  var configuration = ClientConfiguration()
  configuration.retry.backoff = .zero
  configuration.tracing = Tracing(tracer, origins: [api])
  return Client(transport: stub, configuration: configuration)
}

let tracingTests = [
  IntegrationTest("a call continues the span of its caller, and each attempt is injected once") {
    let tracer = StoringTracer()
    let stub = StubTransport([.response(status: 503), .response()])
    let client = client(SwiftTracer(tracer), stub)
    var outer = ServiceContext.topLevel
    outer[BaggageKey.self] = "user=7"
    let caller = StoringTracer.Span("caller", in: outer, .server)
    try await ServiceContext.$current.withValue(caller.context) {
      _ = try await client.send(.get("https://a.test/x?token=s3cret"))
    }
    let spans = tracer.spans.values
    expectEqual(spans.map(\.operationName), ["errand GET", "GET", "GET"])
    expectEqual(spans.map(\.kind), [.internal, .client, .client])
    expectEqual(spans.map(\.parent), [caller.own, spans.first?.own, spans.first?.own])
    expectEqual(spans.map(\.stored.ends), [1, 1, 1])
    expectEqual(
      spans.map { $0.own?.traceID }, [caller.own?.traceID, caller.own?.traceID, caller.own?.traceID])
    for (span, request) in zip(spans.dropFirst(), stub.requests) {
      expectEqual(request.fields.values(of: "traceparent"), [span.own?.traceparent ?? ""])
      expectEqual(request.fields.values(of: "baggage"), ["user=7"])
    }
    expectEqual(spans.last?.attributes.get("http.response.status_code"), .int64(200))
    expectEqual(spans.last?.attributes.get("url.full"), "https://a.test/x?token=REDACTED")
    expectEqual(spans.dropFirst().first?.stored.status?.code, .error)
    expectEqual(spans.last?.stored.status, nil)
  },
  IntegrationTest("another origin gets neither the context nor the baggage, also after a redirect") {
    let tracer = StoringTracer()
    let stub = StubTransport([
      .response(status: 307, fields: ["Location": "https://b.test/"]), .response(),
    ])
    let client = client(SwiftTracer(tracer), stub)
    var outer = ServiceContext.topLevel
    outer[BaggageKey.self] = "user=7"
    try await ServiceContext.$current.withValue(outer) { _ = try await client.send(.get("https://a.test/")) }
    expectEqual(stub.requests.map { $0.fields["baggage"] }, ["user=7", nil])
    expectEqual(stub.requests.map { $0.fields["traceparent"] != nil }, [true, false])
    expectEqual(tracer.spans.values.map(\.stored.ends), [1, 1, 1])
  },
  IntegrationTest("a context of Errand's is the parent if the task has no service context") {
    let tracer = StoringTracer()
    let client = client(SwiftTracer(tracer), StubTransport([.response()]))
    let outer = TraceContext()
    try await TraceContext.$current.withValue(outer) { _ = try await client.send(.get("https://a.test/")) }
    expectEqual(tracer.spans.values.first?.parent?.spanID, outer.spanID)
  },
  IntegrationTest("the current span is available for a stored request") {
    let tracer = SwiftTracer(StoringTracer())
    expectEqual(tracer.currentContext, nil)
    let span = StoringTracer.Span("caller", in: .topLevel, .server)
    ServiceContext.$current.withValue(span.context) {
      expectEqual(tracer.currentContext?.spanID, span.own?.spanID)
    }
  },
  IntegrationTest("a failure and a cancellation end their spans") {
    let tracer = StoringTracer()
    let stub = StubTransport { $0.index == 0 ? .fail(.connectionLost) : .stall }
    let client = client(SwiftTracer(tracer), stub)
    _ = try? await client.send(.post("https://a.test/"))
    let call = client.start(.get("https://a.test/"))
    try await stub.waitForRequests(2)
    call.cancel()
    _ = await call.result
    await client.shutdown()
    expectEqual(tracer.spans.values.map(\.stored.ends), [1, 1, 1, 1])
    expectEqual(tracer.spans.values.map { $0.stored.status?.code }, [.error, .error, .error, .error])
  },
  IntegrationTest("without a tracer nothing is sent") {
    let stub = StubTransport([.response()])
    try await client(SwiftTracer(), stub).send(.get("https://a.test/"))
    expectEqual(stub.requests.map { $0.fields["traceparent"] }, [nil])
  },
]
