#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Distributed tracing of a client's calls (`ClientConfiguration.tracing`), with OpenTelemetry's names: a span for each
/// call, and in it a client span for each attempt.
public struct Tracing: Sendable {
  /// Receives the spans.
  public var tracer: any RequestTracer
  /// Receives the durations of attempts; nil for none.
  public var meter: (any RequestMeter)?
  /// The origins that are sent `traceparent` and `tracestate`; others learn nothing of the trace. Default: none.
  public var origins: [URL]

  public init(_ tracer: any RequestTracer, meter: (any RequestMeter)? = nil, origins: [URL] = []) {
    self.tracer = tracer
    self.meter = meter
    self.origins = origins
  }
}

/// Receives spans. Errand's own is `OTLPExporter`; one for another library is a few lines.
public protocol RequestTracer: Sendable {
  /// Begins a span and returns its context, which the server is sent.
  /// - Parameter parent: The span that it is a part of; nil for a new trace.
  func begin(_ kind: TraceSpan.Kind, named name: String, in parent: TraceContext?) -> TraceContext

  /// Receives a span that has ended.
  func end(_ span: TraceSpan)
}

extension RequestTracer {
  /// Returns a context with a random identifier.
  public func begin(_ kind: TraceSpan.Kind, named name: String, in parent: TraceContext?) -> TraceContext {
    parent?.child() ?? TraceContext()
  }
}

/// A span that has ended.
public struct TraceSpan: Sendable {
  public enum Kind: Int, Sendable, Hashable {
    /// A call, or a request of an outbox.
    case `internal` = 1
    /// An attempt.
    case client = 3
  }

  public let kind: Kind
  public let name: String
  public let context: TraceContext
  /// The span that it is a part of; nil for the first of a trace.
  public let parent: TraceContext?
  /// Spans that it belongs to without being a part of them.
  public let links: [TraceContext]
  public let start: Date
  public let end: Date
  /// By OpenTelemetry's conventions for HTTP clients.
  public let attributes: [String: TraceValue]
  /// Why it failed; nil if it did not.
  public let failure: String?
}

/// The value of an attribute.
public enum TraceValue: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  CustomStringConvertible
{
  case string(String)
  case int(Int)

  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int) { self = .int(value) }

  public var description: String {
    switch self {
    case .string(let text): text
    case .int(let number): "\(number)"
    }
  }
}

/// Receives measurements.
public protocol RequestMeter: Sendable {
  /// Receives the duration of an attempt in seconds: OpenTelemetry's `http.client.request.duration`, a histogram with
  /// the bounds `Histogram.bounds`.
  func record(duration: Double, _ attributes: [String: TraceValue])
}
