#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Distributed tracing of a client's calls (`ClientConfiguration.tracing`), with OpenTelemetry's names. Each
/// call has a span, and within it each attempt has a client span.
public struct Tracing: Sendable {
  /// Receives the spans.
  package var tracer: any RequestTracer
  /// Receives the durations of attempts; nil if they are not measured.
  package var meter: (any RequestMeter)?
  /// The origins that are sent the fields of a span's context (``RequestTracer/fields(of:)``). Other origins learn
  /// nothing about the trace.
  /// Default: none.
  package var origins: [URL]

  /// Creates the tracing of a client.
  /// - Parameters:
  ///   - tracer: Receives the spans.
  ///   - meter: Receives the durations of attempts. Default: nil.
  ///   - origins: The origins that are sent the trace's context. Default: none.
  public init(_ tracer: any RequestTracer, meter: (any RequestMeter)? = nil, origins: [URL] = []) {
    self.tracer = tracer
    self.meter = meter
    self.origins = origins
  }
}

/// Receives spans. `OTLPExporter` is Errand's implementation; an adapter for another library is a few lines.
public protocol RequestTracer: Sendable {
  /// Begins a span and returns its context, which is sent to the server.
  /// - Parameters:
  ///   - kind: Whether the span is that of a call or of an attempt.
  ///   - name: The name of the span.
  ///   - parent: The span that it is a part of; nil for a new trace.
  func begin(_ kind: TraceSpan.Kind, named name: String, in parent: TraceContext?) -> TraceContext

  /// Returns the fields with which a span's context is sent. It is called once for each request to one of the `origins`,
  /// after the span of the request has begun. Fields that the caller has set are not replaced, and a request with the
  /// caller's `traceparent` gets none. Default: `traceparent` and `tracestate` (W3C Trace Context).
  func fields(of context: TraceContext) -> HTTPFields

  /// Receives a span that has ended.
  func end(_ span: TraceSpan)
}

extension RequestTracer {
  /// Returns a context with a random identifier.
  public func begin(_ kind: TraceSpan.Kind, named name: String, in parent: TraceContext?) -> TraceContext {
    parent?.child() ?? TraceContext()
  }

  /// Returns `traceparent`, and `tracestate` if the context has a valid state.
  public func fields(of context: TraceContext) -> HTTPFields {
    var fields: HTTPFields = ["traceparent": context.traceparent]
    if !context.state.isEmpty, let state = TraceState.valid(context.state) { fields["tracestate"] = state }
    return fields
  }
}

/// A span that has ended.
public struct TraceSpan: Sendable {
  /// The kind of a span, with OpenTelemetry's numbers.
  public enum Kind: Int, Sendable, Hashable {
    /// A call, or a request of an outbox.
    case `internal` = 1
    /// An attempt.
    case client = 3
  }

  /// Whether the span is that of a call or of an attempt.
  public let kind: Kind
  /// The name of the span, such as its method.
  public let name: String
  /// The identifiers of the span and of its trace.
  public let context: TraceContext
  /// The span that it is a part of; nil for the first span of a trace.
  public let parent: TraceContext?
  /// Spans that it is related to without being a part of them.
  public let links: [TraceContext]
  /// The wall-clock time at which the span began.
  public let start: Date
  /// The wall-clock time at which the span ended.
  public let end: Date
  /// The attributes, named by OpenTelemetry's conventions for HTTP clients.
  public let attributes: [String: TraceValue]
  /// The reason why it failed; nil if it did not.
  public let failure: String?
}

/// The value of an attribute.
public enum TraceValue: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  CustomStringConvertible
{
  /// A text.
  case string(String)
  /// A whole number.
  case int(Int)

  /// Creates a text from a string literal.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates a number from an integer literal.
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

/// Begins the span of each attempt, and sends its context to the origins that may have it. Within an attempt,
/// each redirect has its own span.
final class TracingStage: Stage {
  let usage: StageUsage

  init(_ tracing: Tracing?) { usage = tracing == nil ? .none : .everyRequest }

  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    try await next(context.traced(request), context)
  }
}

extension CallContext {
  /// Begins the span of a request that is about to be sent, and returns the request with its context.
  func traced(_ request: Request) -> Request { events?.trace?.traced(request) ?? request }
}
