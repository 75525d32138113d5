import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An attribute in OTLP's JSON, in which 64-bit integers are strings.
struct OTLPAttribute: Encodable, Sendable {
  struct Value: Encodable, Sendable {
    var stringValue: String?
    var intValue: String?
  }

  let key: String
  let value: Value

  init(_ key: String, _ value: TraceValue) {
    self.key = key
    switch value {
    case .string(let text): self.value = Value(stringValue: text)
    case .int(let number): self.value = Value(intValue: "\(number)")
    }
  }

  static func list(_ attributes: [String: TraceValue]) -> [OTLPAttribute] {
    attributes.sorted { $0.key < $1.key }.map { OTLPAttribute($0.key, $0.value) }
  }
}

struct OTLPResource: Encodable, Sendable {
  let attributes: [OTLPAttribute]

  init(service: String, _ attributes: [String: TraceValue]) {
    var attributes = attributes
    attributes["service.name"] = .string(service)
    attributes["telemetry.sdk.name"] = "errand"
    attributes["telemetry.sdk.language"] = "swift"
    attributes["telemetry.sdk.version"] = .string(ErrandVersion.current)
    self.attributes = OTLPAttribute.list(attributes)
  }
}

struct OTLPScope: Encodable, Sendable {
  let name = "errand"
  let version = ErrandVersion.current
}

/// The body of a request to `/v1/traces`.
struct OTLPTraces: Encodable, Sendable {
  private struct Link: Encodable, Sendable {
    let traceId: String
    let spanId: String
  }

  private struct Status: Encodable, Sendable {
    let message: String
    /// `STATUS_CODE_ERROR`.
    let code = 2
  }

  private struct Span: Encodable, Sendable {
    let traceId: String
    let spanId: String
    let traceState: String?
    let parentSpanId: String?
    let name: String
    let kind: Int
    let startTimeUnixNano: String
    let endTimeUnixNano: String
    let attributes: [OTLPAttribute]
    let links: [Link]
    let status: Status?

    init(_ span: TraceSpan) {
      traceId = "\(span.context.traceID)"
      spanId = "\(span.context.spanID)"
      traceState = span.context.state.isEmpty ? nil : span.context.state
      parentSpanId = span.parent.map { "\($0.spanID)" }
      name = span.name
      kind = span.kind.rawValue
      startTimeUnixNano = span.start.unixNanoseconds
      endTimeUnixNano = max(span.start, span.end).unixNanoseconds
      attributes = OTLPAttribute.list(span.attributes)
      links = span.links.map { Link(traceId: "\($0.traceID)", spanId: "\($0.spanID)") }
      status = span.failure.map { Status(message: $0) }
    }
  }

  private struct ScopeSpans: Encodable, Sendable {
    let scope = OTLPScope()
    let spans: [Span]
  }

  private struct ResourceSpans: Encodable, Sendable {
    let resource: OTLPResource
    let scopeSpans: [ScopeSpans]
  }

  private let resourceSpans: [ResourceSpans]

  init(_ spans: [TraceSpan], _ resource: OTLPResource) {
    resourceSpans = [ResourceSpans(resource: resource, scopeSpans: [ScopeSpans(spans: spans.map(Span.init))])]
  }
}

/// The body of a request to `/v1/metrics`, with one histogram.
struct OTLPMetrics: Encodable, Sendable {
  private struct Point: Encodable, Sendable {
    let startTimeUnixNano: String
    let timeUnixNano: String
    let count: String
    let sum: Double
    let bucketCounts: [String]
    let explicitBounds = Histogram.bounds
    let attributes: [OTLPAttribute]
  }

  private struct HistogramData: Encodable, Sendable {
    let dataPoints: [Point]
    /// `AGGREGATION_TEMPORALITY_CUMULATIVE`: sums from the beginning.
    let aggregationTemporality = 2
  }

  private struct Metric: Encodable, Sendable {
    let name = "http.client.request.duration"
    let description = "Duration of HTTP client requests."
    let unit = "s"
    let histogram: HistogramData
  }

  private struct ScopeMetrics: Encodable, Sendable {
    let scope = OTLPScope()
    let metrics: [Metric]
  }

  private struct ResourceMetrics: Encodable, Sendable {
    let resource: OTLPResource
    let scopeMetrics: [ScopeMetrics]
  }

  private let resourceMetrics: [ResourceMetrics]

  init(
    _ series: [[String: TraceValue]: Histogram], _ resource: OTLPResource, from began: Date, to now: Date
  ) {
    let points = series.map { attributes, histogram in
      Point(
        startTimeUnixNano: began.unixNanoseconds, timeUnixNano: max(began, now).unixNanoseconds,
        count: "\(histogram.count)", sum: histogram.sum, bucketCounts: histogram.counts.map { "\($0)" },
        attributes: OTLPAttribute.list(attributes))
    }
    let metric = Metric(histogram: HistogramData(dataPoints: points))
    resourceMetrics = [
      ResourceMetrics(resource: resource, scopeMetrics: [ScopeMetrics(metrics: [metric])])
    ]
  }
}

extension Date {
  fileprivate var unixNanoseconds: String {
    // Rounded to microseconds, because a `Double` has no more digits for today's dates.
    "\(Int64(max(0, timeIntervalSince1970) * 1e6) * 1000)"
  }
}
