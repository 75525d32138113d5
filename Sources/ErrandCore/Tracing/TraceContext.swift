/// The place of a piece of work in a distributed trace (W3C Trace Context).
///
/// ```swift
/// try await TraceContext.$current.withValue(TraceContext(traceparent: header)) {
///   try await client.send(request)
/// }
/// ```
public struct TraceContext: Sendable, Hashable {
  /// The trace that the current task works for; nil for none. Calls of a client with `Tracing` continue it.
  @TaskLocal public static var current: TraceContext?

  /// 16 bytes, in two halves; not both zero.
  public let traceID: TraceID
  /// The identifier of the span; not zero.
  public let spanID: SpanID
  /// True if the trace is recorded.
  public var isSampled: Bool
  /// What other systems have added: `tracestate`, empty for nothing.
  public var state: String

  public init(traceID: TraceID, spanID: SpanID, isSampled: Bool = true, state: String = "") {
    self.traceID = traceID
    self.spanID = spanID
    self.isSampled = isSampled
    self.state = state
  }

  /// Makes the context of a new trace.
  public init() { self.init(traceID: .random(), spanID: .random()) }

  /// Returns the context of a new span in the same trace.
  public func child() -> TraceContext {
    TraceContext(traceID: traceID, spanID: .random(), isSampled: isSampled, state: state)
  }

  /// Reads the fields of a request; nil if `traceparent` is not valid. A `tracestate` that is not valid is dropped.
  public init?(traceparent: String, tracestate: String? = nil) {
    let bytes = Array(traceparent.utf8)
    // A later version may have more after the flags.
    guard bytes.count >= 55, bytes[2] == 45, bytes[35] == 45, bytes[52] == 45,
      let version = Self.number(bytes[0..<2]), version != 0xFF,
      bytes.count == 55 || (version > 0 && bytes[55] == 45),
      let high = Self.number(bytes[3..<19]), let low = Self.number(bytes[19..<35]),
      let span = Self.number(bytes[36..<52]), let flags = Self.number(bytes[53..<55]),
      let traceID = TraceID(high: high, low: low), let spanID = SpanID(span)
    else { return nil }
    self.init(
      traceID: traceID, spanID: spanID, isSampled: flags & 1 == 1,
      state: tracestate.flatMap(TraceState.valid) ?? "")
  }

  /// The value of `traceparent`, in version 00.
  public var traceparent: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }

  /// Reads hexadecimal digits, of which there are no upper-case ones.
  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    var number: UInt64 = 0
    for digit in digits {
      switch digit {
      case 48...57: number = number << 4 | UInt64(digit - 48)
      case 97...102: number = number << 4 | UInt64(digit - 87)
      default: return nil
      }
    }
    return number
  }
}

/// Identifies a trace: 16 bytes that are not all zero.
public struct TraceID: Sendable, Hashable, CustomStringConvertible {
  public let high: UInt64
  public let low: UInt64

  /// Returns nil for zero.
  public init?(high: UInt64, low: UInt64) {
    guard high | low != 0 else { return nil }
    self.high = high
    self.low = low
  }

  private init(known high: UInt64, _ low: UInt64) { (self.high, self.low) = (high, low) }

  public static func random() -> TraceID {
    TraceID(known: .random(in: 0 ... .max), .random(in: 1 ... .max))
  }

  /// 32 hexadecimal digits.
  public var description: String { SpanID.digits(high) + SpanID.digits(low) }
}

/// Identifies a span: 8 bytes that are not all zero.
public struct SpanID: Sendable, Hashable, CustomStringConvertible {
  public let value: UInt64

  /// Returns nil for zero.
  public init?(_ value: UInt64) {
    guard value != 0 else { return nil }
    self.value = value
  }

  private init(known value: UInt64) { self.value = value }

  public static func random() -> SpanID { SpanID(known: .random(in: 1 ... .max)) }

  /// 16 hexadecimal digits.
  public var description: String { Self.digits(value) }

  static func digits(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// The rules of `tracestate`.
enum TraceState {
  private static let mostMembers = 32
  private static let mostBytes = 512

  /// Returns the value without spaces and empty members; nil if it is not valid, or too long to be passed on.
  static func valid(_ text: String) -> String? {
    let members = text.split(separator: ",").map { ASCII.trimmed($0) }.filter { !$0.isEmpty }
    guard members.count <= mostMembers, members.allSatisfy(isMember) else { return nil }
    let keys = members.map { $0.prefix { $0 != "=" } }
    let joined = members.joined(separator: ",")
    return Set(keys).count == keys.count && joined.utf8.count <= mostBytes ? joined : nil
  }

  private static func isMember(_ member: String) -> Bool {
    let bytes = Array(member.utf8)
    guard let equals = bytes.firstIndex(of: 61) else { return false }
    let (key, value) = (bytes[..<equals], bytes[(equals + 1)...])
    let isKey = key.allSatisfy { byte in
      switch byte {
      case 97...122, 48...57, 95, 45, 42, 47, 64: true
      default: false
      }
    }
    // Printable ASCII but the comma and the equals sign; no space at the end.
    let isValue = value.allSatisfy { 32...126 ~= $0 && $0 != 44 && $0 != 61 }
    return isKey && 1...256 ~= key.count && isValue && 1...256 ~= value.count && value.last != 32
      && key.first.map { 97...122 ~= $0 || 48...57 ~= $0 } == true
  }
}
