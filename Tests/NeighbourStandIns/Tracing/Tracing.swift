// Stands in for swift-distributed-tracing 1.2: the declarations that the integrations use, with the tracer that does
// nothing.
@_exported public import Instrumentation
@_exported public import ServiceContextModule

public protocol TracerInstant: Comparable, Hashable, Sendable {
  var nanosecondsSinceEpoch: UInt64 { get }
}

public struct DefaultTracerClock {
  public typealias Instant = Timestamp

  public struct Timestamp: TracerInstant {
    public let nanosecondsSinceEpoch: UInt64

    public init(nanosecondsSinceEpoch: UInt64) { self.nanosecondsSinceEpoch = nanosecondsSinceEpoch }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
      left.nanosecondsSinceEpoch < right.nanosecondsSinceEpoch
    }
  }

  /// Not the time, because no test looks at it.
  public static var now: Instant { Timestamp(nanosecondsSinceEpoch: 0) }
}

public enum SpanKind: Sendable {
  case server, client, producer, consumer, `internal`
}

public struct SpanStatus: Equatable, Sendable {
  public enum Code: Sendable {
    case ok, error
  }

  public let code: Code
  public let message: String?

  public init(code: Code, message: String? = nil) {
    self.code = code
    self.message = message
  }
}

public enum SpanAttribute: Equatable, Sendable {
  case int64(Int64)
  case string(String)
}

extension SpanAttribute: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) { self = .string(value) }
}

public struct SpanAttributes: Equatable, Sendable, ExpressibleByDictionaryLiteral {
  private var values: [String: SpanAttribute] = [:]

  public init(dictionaryLiteral elements: (String, SpanAttribute)...) {
    values = Dictionary(uniqueKeysWithValues: elements)
  }

  public func get(_ name: String) -> SpanAttribute? { values[name] }
  public mutating func set(_ name: String, value: SpanAttribute?) { values[name] = value }
}

public struct SpanLink: Sendable {
  public let context: ServiceContext
  public let attributes: SpanAttributes

  public init(context: ServiceContext, attributes: SpanAttributes) {
    self.context = context
    self.attributes = attributes
  }
}

public protocol Span: Sendable {
  var context: ServiceContext { get }
  var operationName: String { get nonmutating set }
  var attributes: SpanAttributes { get nonmutating set }
  var isRecording: Bool { get }
  func setStatus(_ status: SpanStatus)
  func addLink(_ link: SpanLink)
  func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant)
}

extension Span {
  public func end() { end(at: DefaultTracerClock.now) }
}

public protocol Tracer: Instrument {
  associatedtype Span: Tracing.Span

  func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
  ) -> Span
}

extension Tracer {
  public func startSpan(
    _ operationName: String, context: @autoclosure () -> ServiceContext = .current ?? .topLevel,
    ofKind kind: SpanKind = .internal,
    at instant: @autoclosure () -> some TracerInstant = DefaultTracerClock.now,
    function: String = #function, file fileID: String = #fileID, line: UInt = #line
  ) -> Span {
    startSpan(
      operationName, context: context(), ofKind: kind, at: instant(), function: function, file: fileID,
      line: line)
  }
}

extension InstrumentationSystem {
  public static var tracer: any Tracer { NoOpTracer() }
}

public struct NoOpTracer: Tracer {
  public struct Span: Tracing.Span {
    public let context: ServiceContext
    public var operationName: String {
      get { "" }
      nonmutating set {}
    }
    public var attributes: SpanAttributes {
      get { [:] }
      nonmutating set {}
    }
    public var isRecording: Bool { false }
    public func setStatus(_ status: SpanStatus) {}
    public func addLink(_ link: SpanLink) {}
    public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {}
  }

  public init() {}

  public func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
  ) -> Span { Span(context: context()) }

  public func extract<Carrier, Extract>(
    _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
  ) where Extract: Extractor, Extract.Carrier == Carrier {}

  public func inject<Carrier, Inject>(
    _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject: Injector, Inject.Carrier == Carrier {}
}
