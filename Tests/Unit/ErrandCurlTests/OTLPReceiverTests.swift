import ErrandCore
import ErrandCurl
import ErrandObservability
import ErrandTesting
import Foundation
import Programs
import Testing

/// Reads exports with OpenTelemetry's own messages, which refuse a field that they do not know.
@Suite(
  .timeLimit(.minutes(2)),
  .enabled("SKIPPED: opentelemetry-proto is not installed (scripts/peers watching; ERRAND_WATCHING_PYTHON)") {
    await OTLPReceiver.isInstalled
  })
struct OTLPReceiverTests {
  @Test func `a collector reads spans and durations with the original values`() async throws {
    // A slow machine may send them in several batches.
    let bodies = Locked<[String: [Data]]>([:])
    let server = try MockServer()
    for path in ["/v1/traces", "/v1/metrics"] {
      server.on("POST", path) { request in
        bodies.withLock { $0[path, default: []].append(request.body) }
        #expect(request.fields["Content-Type"] == "application/json")
        return .response(fields: ["Content-Type": "application/json"], body: "{}")
      }
    }
    server.script(
      "GET", "/a", [.response(status: 503, fields: ["Retry-After": "0"]), .redirect(302, to: "/b")])
    server.on("/b") { _ in .response(body: "hello") }
    let exporter = OTLPExporter(
      to: server.url("/"), through: Client(transport: CurlTransport()), service: "tests",
      attributes: ["deployment.environment.name": "test", "process.pid": 7])
    var configuration = ClientConfiguration()
    configuration.retry.backoff = .zero
    configuration.tracing = Tracing(exporter, meter: exporter, origins: [server.url("/")])
    let client = Client(transport: CurlTransport(), configuration: configuration)
    let outer = TraceContext(traceID: .random(), spanID: .random(), state: "a=1")
    try await TraceContext.$current.withValue(outer) {
      _ = try await client.send(.get("\(server.url("/a"))?token=secret"))
    }
    _ = try? await client.send(Request("PURGE", server.url("/none").absoluteString))
    await exporter.flush()

    let sent = bodies.withLock { $0 }
    var spans: [OTLPReceiver.Item] = []
    for body in sent["/v1/traces"] ?? [] { spans += try await OTLPReceiver.read(body, as: "traces") }
    try #require(spans.count == 6)
    // Durations are accumulated since the start.
    let points = try await OTLPReceiver.read(try #require(sent["/v1/metrics"]?.last), as: "metrics")
    #expect(spans.map(\.name) == ["GET", "GET", "GET", "errand GET", "HTTP", "errand HTTP"])
    #expect(spans.map(\.kind) == [3, 3, 3, 1, 3, 1])
    #expect(spans.map(\.code) == [2, 0, 0, 0, 2, 2])
    #expect(spans[0].attributes["http.response.status_code"] == "503")
    #expect(spans[0].attributes["url.full"] == "\(server.url("/a"))?token=REDACTED")
    #expect(spans[0].attributes["network.protocol.version"] == "1.1")
    #expect(spans[2].attributes["http.request.resend_count"] == "2")
    #expect(spans[4].attributes["http.request.method"] == "_OTHER")
    #expect(spans[4].attributes["error.type"] == "404")
    #expect(spans[..<4].allSatisfy { $0.trace == "\(outer.traceID)" && $0.state == "a=1" })
    #expect(spans[3].parent == "\(outer.spanID)")
    #expect(spans[..<3].allSatisfy { $0.parent == spans[3].id })
    #expect(spans.allSatisfy { $0.resource["service.name"] == "tests" && $0.resource["process.pid"] == "7" })

    #expect(points.allSatisfy { $0.name == "http.client.request.duration" && $0.unit == "s" })
    #expect(points.reduce(0) { $0 + $1.count } == 4)
    let bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
    #expect(points.allSatisfy { $0.bounds == bounds })
    let failed = points.first { $0.attributes["error.type"] == "503" }
    #expect(failed?.attributes["server.port"] == "\(server.port)")
    #expect(failed?.attributes["url.full"] == nil)
  }
}

/// OpenTelemetry's messages, which `scripts/peers watching` installs.
private enum OTLPReceiver {
  /// A span, or a point of a histogram.
  struct Item: Decodable {
    let name: String
    let attributes: [String: String]
    let resource: [String: String]
    var id = ""
    var trace = ""
    var parent = ""
    var state = ""
    var kind = 0
    var code = 0
    var unit = ""
    var count = 0
    var bounds: [Double] = []
  }

  private static let program = """
    import base64, json, sys
    from google.protobuf import json_format
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    def bytes_of(value):
        # OTLP has these in hexadecimal digits, where protobuf's JSON has base64.
        if isinstance(value, list):
            return [bytes_of(item) for item in value]
        if not isinstance(value, dict):
            return value
        return {name: base64.b64encode(bytes.fromhex(item)).decode()
                if name in ("traceId", "spanId", "parentSpanId") else bytes_of(item)
                for name, item in value.items()}

    def attributes(list):
        names = [item.key for item in list]
        assert len(names) == len(set(names)), names
        return {item.key: str(getattr(item.value, item.value.WhichOneof("value"))) for item in list}

    text = bytes_of(json.load(sys.stdin))
    found = []
    common = dict(id="", trace="", parent="", state="", kind=0, code=0, unit="", count=0, bounds=[])
    if sys.argv[1] == "traces":
        request = json_format.ParseDict(text, ExportTraceServiceRequest(), ignore_unknown_fields=False)
        for resource in request.resource_spans:
            for scope in resource.scope_spans:
                assert scope.scope.name and scope.scope.version
                for span in scope.spans:
                    assert len(span.trace_id) == 16 and len(span.span_id) == 8 and len(span.parent_span_id) in (0, 8)
                    assert 0 < span.start_time_unix_nano <= span.end_time_unix_nano
                    found.append(common | dict(
                        name=span.name, kind=span.kind, code=span.status.code, state=span.trace_state,
                        id=span.span_id.hex(), trace=span.trace_id.hex(), parent=span.parent_span_id.hex(),
                        attributes=attributes(span.attributes), resource=attributes(resource.resource.attributes)))
    else:
        request = json_format.ParseDict(text, ExportMetricsServiceRequest(), ignore_unknown_fields=False)
        for resource in request.resource_metrics:
            for scope in resource.scope_metrics:
                for metric in scope.metrics:
                    assert metric.histogram.aggregation_temporality == 2
                    for point in metric.histogram.data_points:
                        assert sum(point.bucket_counts) == point.count
                        assert len(point.bucket_counts) == len(point.explicit_bounds) + 1
                        assert 0 < point.start_time_unix_nano <= point.time_unix_nano
                        found.append(common | dict(
                            name=metric.name, unit=metric.unit, count=point.count, bounds=list(point.explicit_bounds),
                            attributes=attributes(point.attributes),
                            resource=attributes(resource.resource.attributes)))
    print(json.dumps(found))
    """

  private static var path: String {
    ProcessInfo.processInfo.environment["ERRAND_WATCHING_PYTHON"] ?? "python3"
  }

  static var isInstalled: Bool {
    get async { (try? await Program.output(of: "env", [path, "-c", "import opentelemetry.proto"])) != nil }
  }

  /// Reads a request; throws if it does not match the messages.
  static func read(_ body: Data, as kind: String) async throws -> [Item] {
    let output = try await Program.output(of: "env", [path, "-c", program, kind], input: body)
    return try JSONDecoder().decode([Item].self, from: output)
  }
}
