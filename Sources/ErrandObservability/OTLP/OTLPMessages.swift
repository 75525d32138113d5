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

/// The body of a request to `/v1/traces`. It is written by hand, because `JSONEncoder` takes 140 µs for a span,
/// which is more than a fast call takes.
struct OTLPTraces: Sendable {
  private let spans: [TraceSpan]
  private let resource: OTLPResource

  init(_ spans: [TraceSpan], _ resource: OTLPResource) {
    self.spans = spans
    self.resource = resource
  }

  /// The body as JSON.
  func json() throws -> Data {
    let encoder = JSONEncoder()
    var text = JSONBytes(capacity: 512 + spans.count * 1024)
    text.raw("{\"resourceSpans\":[{\"resource\":")
    text.raw(try encoder.encode(resource))
    text.raw(",\"scopeSpans\":[{\"scope\":")
    text.raw(try encoder.encode(OTLPScope()))
    text.raw(",\"spans\":[")
    for (index, span) in spans.enumerated() {
      if index > 0 { text.raw(",") }
      Self.write(span, to: &text)
    }
    text.raw("]}]}]}")
    return Data(text.bytes)
  }

  private static func write(_ span: TraceSpan, to text: inout JSONBytes) {
    text.raw("{\"traceId\":\"")
    text.raw("\(span.context.traceID)")
    text.raw("\",\"spanId\":\"")
    text.raw("\(span.context.spanID)")
    if !span.context.state.isEmpty {
      text.raw("\",\"traceState\":")
      text.string(span.context.state)
      text.raw(",")
    } else {
      text.raw("\",")
    }
    if let parent = span.parent {
      text.raw("\"parentSpanId\":\"")
      text.raw("\(parent.spanID)")
      text.raw("\",")
    }
    text.raw("\"name\":")
    text.string(span.name)
    text.raw(",\"kind\":\(span.kind.rawValue),\"startTimeUnixNano\":\"\(span.start.unixNanoseconds)")
    text.raw("\",\"endTimeUnixNano\":\"\(max(span.start, span.end).unixNanoseconds)\",\"attributes\":[")
    for (index, (name, value)) in span.attributes.enumerated() {
      text.raw(index > 0 ? ",{\"key\":" : "{\"key\":")
      text.string(name)
      switch value {
      case .string(let string):
        text.raw(",\"value\":{\"stringValue\":")
        text.string(string)
        text.raw("}}")
      case .int(let number): text.raw(",\"value\":{\"intValue\":\"\(number)\"}}")
      }
    }
    text.raw("]")
    if !span.links.isEmpty {
      text.raw(",\"links\":[")
      for (index, link) in span.links.enumerated() {
        text.raw("\(index > 0 ? "," : "")")
        text.raw("{\"traceId\":\"\(link.traceID)\",\"spanId\":\"\(link.spanID)\"}")
      }
      text.raw("]")
    }
    if let failure = span.failure {
      // `STATUS_CODE_ERROR`.
      text.raw(",\"status\":{\"code\":2,\"message\":")
      text.string(failure)
      text.raw("}")
    }
    text.raw("}")
  }
}

/// Text in JSON.
struct JSONBytes {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func raw(_ data: Data) { bytes.append(contentsOf: data) }

  /// Adds a string, with the characters escaped that JSON does not allow in strings (RFC 8259, section 7).
  mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
      bytes.append(contentsOf: text.utf8)
    } else {
      for byte in text.utf8 { escape(byte) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
    case 0..<0x20:
      raw("\\u00")
      let digits = Array("0123456789abcdef".utf8)
      bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    default: bytes.append(byte)
    }
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
    // Rounded to microseconds, because a `Double` has no more digits for today's dates. The protocol has 64 bits
    // for nanoseconds, which end in the year 2554.
    "\(UInt64(max(0, min(timeIntervalSince1970, 18_446_744_073)) * 1e6) * 1000)"
  }
}
