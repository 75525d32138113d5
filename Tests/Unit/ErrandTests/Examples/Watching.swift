// swift-format-ignore-file
import Errand
import ErrandInspector
import Foundation
import Synchronization

struct SlowCalls: EventListener {
  func record(_ event: CallEvent) {
    guard case .finished(let response) = event.kind, let total = response.timing?.total else { return }
    if total > .seconds(1) { print("\(event.request.method) \(event.request.url) took \(total)") }
  }
}

struct Watching {
  var configuration = ClientConfiguration()
  let folder: URL

  mutating func listeners() {
    configuration.listeners = [SlowCalls()]
  }

  mutating func numbers(_ outbox: Outbox) async throws {
    configuration.listeners.append(.log(level: .info) { line in print(line) })
    configuration.collectsMetrics = true
    let client = Client(configuration: configuration)
    if let metrics = client.metrics { print(metrics.prometheus) }
    print(try await outbox.prometheusMetrics())
    print(Request.get(feedURL).curlCommand())
  }

  func serving(_ client: Client, _ outbox: Outbox) throws {
    let server = try Metrics.serve(port: 9464, client, outbox)   // until it is released
    server.stop()
  }

  mutating func files() throws {
    configuration.listeners = [
      try HARRecorder(file: folder.appending(path: "calls.har")),
      try ChromeTrace(file: folder.appending(path: "calls.json")),
    ]
  }

  func inspecting(_ client: Client, _ outbox: Outbox) async throws {
    let inspector = try await Inspector(client, outbox).start()   // prints a URL: open it
    inspector.stop()
  }

  mutating func tracing(_ client: Client, _ collectorURL: URL, _ header: String) async throws {
    let exporter = OTLPExporter(to: collectorURL, through: Client(), service: "orders")
    configuration.tracing = Tracing(exporter, meter: exporter, origins: [feedURL])

    let incoming = TraceContext(traceparent: header) ?? TraceContext()
    try await TraceContext.$current.withValue(incoming) {
      _ = try await client.send(.get(feedURL))
    }
    await exporter.shutdown(within: .seconds(5))   // before the program ends
  }
}

protocol OtherSpan: Sendable {
  var traceparent: String { get }
  func set(_ value: String, for name: String)
  func end(failure: String?)
}

protocol OtherTracer: Sendable {
  func startSpan(_ name: String, traceparent: String?) -> any OtherSpan
}

final class Bridge: RequestTracer {
  private let tracer: any OtherTracer
  private let open = Mutex<[SpanID: any OtherSpan]>([:])

  init(_ tracer: any OtherTracer) { self.tracer = tracer }

  func begin(_ kind: TraceSpan.Kind, named name: String, in parent: TraceContext?) -> TraceContext {
    let span = tracer.startSpan(name, traceparent: parent?.traceparent)
    let context = TraceContext(traceparent: span.traceparent) ?? parent?.child() ?? TraceContext()
    open.withLock { $0[context.spanID] = span }
    return context
  }

  func end(_ span: TraceSpan) {
    let opened = open.withLock { $0.removeValue(forKey: span.context.spanID) }
    for (name, value) in span.attributes { opened?.set("\(value)", for: name) }
    opened?.end(failure: span.failure)
  }
}
