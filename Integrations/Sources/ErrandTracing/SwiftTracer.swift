public import Errand
import Synchronization
public import Tracing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Makes the spans of a client with swift-distributed-tracing.
///
/// ```swift
/// configuration.tracing = Tracing(SwiftTracer(), origins: [apiURL])
/// ```
///
/// The span of a call belongs to the span of the caller's task (`ServiceContext.current`), and each request that is sent has
/// a client span in it. The fields that the tracer injects, such as `traceparent` or `baggage`, are sent to the `origins`
/// only. The names and the attributes of spans are Errand's, which follow OpenTelemetry's conventions and show no secret.
///
/// Errand's `TraceContext` of a span is the `traceparent` that the tracer injects. With a tracer that injects none, contexts
/// of Errand's stand for its spans, and are not sent.
public final class SwiftTracer: RequestTracer {
  private struct Open: Sendable {
    let span: any Span
    let fields: HTTPFields
  }

  private let tracer: any Tracer
  private let open = Mutex<[SpanID: Open]>([:])

  /// Makes a tracer.
  /// - Parameter tracer: The tracer that makes the spans. Default: the one with which the instrumentation system was set up.
  public init(_ tracer: any Tracer = InstrumentationSystem.tracer) { self.tracer = tracer }

  public func begin(_ kind: TraceSpan.Kind, named name: String, in parent: TraceContext?) -> TraceContext {
    let known = parent.flatMap { parent in open.withLock { $0[parent.spanID]?.span }?.context }
    let outer = known ?? ServiceContext.current ?? parent.map(serviceContext) ?? .topLevel
    let span = tracer.startSpan(name, context: outer, ofKind: kind == .client ? .client : .internal)
    let fields = injected(span.context)
    let own = fields.traceContext
    return open.withLock { open in
      // A tracer that does not record may return the context of the parent, which is open.
      if let own, open[own.spanID] == nil {
        open[own.spanID] = Open(span: span, fields: fields)
        return own
      }
      let made = own?.child() ?? parent?.child() ?? TraceContext()
      open[made.spanID] = Open(span: span, fields: fields)
      return made
    }
  }

  public func fields(of context: TraceContext) -> HTTPFields {
    open.withLock { $0[context.spanID]?.fields } ?? [:]
  }

  public func end(_ span: TraceSpan) {
    guard let opened = open.withLock({ $0.removeValue(forKey: span.context.spanID) })?.span else { return }
    var attributes = opened.attributes
    for (name, value) in span.attributes {
      switch value {
      case .string(let text): attributes.set(name, value: .string(text))
      case .int(let number): attributes.set(name, value: .int64(Int64(number)))
      }
    }
    opened.attributes = attributes
    if let failure = span.failure {
      opened.setStatus(SpanStatus(code: .error, message: failure.isEmpty ? nil : failure))
    }
    for link in span.links { opened.addLink(SpanLink(context: serviceContext(link), attributes: [:])) }
    let nanoseconds = UInt64(max(0, span.end.timeIntervalSince1970) * 1e9)
    opened.end(at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: nanoseconds))
  }

  /// Returns the current span's context, so that a stored request links to it; nil without a span.
  ///
  /// ```swift
  /// try await TraceContext.$current.withValue(tracer.currentContext) {
  ///   try await outbox.enqueue(request)
  /// }
  /// ```
  public var currentContext: TraceContext? {
    ServiceContext.current.flatMap { injected($0).traceContext }
  }

  private func injected(_ context: ServiceContext) -> HTTPFields {
    var fields = HTTPFields()
    tracer.inject(context, into: &fields, using: FieldInjector())
    return fields
  }

  private func serviceContext(_ context: TraceContext) -> ServiceContext {
    var fields: HTTPFields = ["traceparent": context.traceparent]
    if !context.state.isEmpty { fields["tracestate"] = context.state }
    var extracted = ServiceContext.topLevel
    tracer.extract(fields, into: &extracted, using: FieldExtractor())
    return extracted
  }
}

extension HTTPFields {
  /// The context of W3C Trace Context; nil without a valid one.
  fileprivate var traceContext: TraceContext? {
    self["traceparent"].flatMap { TraceContext(traceparent: $0, tracestate: self["tracestate"]) }
  }
}

private struct FieldInjector: Injector {
  func inject(_ value: String, forKey key: String, into carrier: inout HTTPFields) { carrier.set(key, value) }
}

private struct FieldExtractor: Extractor {
  func extract(key: String, from carrier: HTTPFields) -> String? { carrier[key] }
}
