import ErrandCore
import ErrandOutbox
import ErrandOutboxSQLite
import ErrandTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct OutboxTracingTests {
  private final class Spans: RequestTracer {
    private let ended = Locked<[TraceSpan]>([])
    var all: [TraceSpan] { ended.withLock { $0 } }
    func end(_ span: TraceSpan) { ended.withLock { $0.append(span) } }
  }

  @Test func `a delivery is a separate trace with a link to the trace that stored the request`() async throws
  {
    let folder = try TemporaryFolder()
    let (spans, stub) = (Spans(), StubTransport { _ in .response() })
    var tracing = ClientConfiguration()
    tracing.tracing = Tracing(spans, origins: [URL(string: "http://a.test")!])
    let client = Client(transport: stub, configuration: tracing)
    var configuration = OutboxConfiguration()
    configuration.reachability = nil
    configuration.delivers = false
    let before = TraceContext(traceID: .random(), spanID: .random(), state: "a=1")
    // One program stores it, and another delivers it.
    var outbox = try await Outbox(at: folder.file("outbox"), client: client, configuration: configuration)
    try await TraceContext.$current.withValue(before) { [outbox] in
      _ = try await outbox.enqueue(.post("http://a.test/x", .text("x")))
    }
    await outbox.close()
    configuration.delivers = true
    outbox = try await Outbox(at: folder.file("outbox"), client: client, configuration: configuration)
    try await outbox.waitUntilIdle()
    await outbox.close()
    let call = try #require(spans.all.first { $0.kind == .internal })
    #expect(call.links == [before])
    #expect(call.parent == nil)
    #expect(call.context.traceID != before.traceID)
    let attempt = try #require(spans.all.first { $0.kind == .client })
    #expect(attempt.parent == call.context)
    #expect(stub.requests.map { $0.fields["traceparent"] } == [attempt.context.traceparent])
  }
}
