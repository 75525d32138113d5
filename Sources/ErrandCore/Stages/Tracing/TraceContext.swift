/// The place of a piece of work in a distributed trace (W3C Trace Context, level 2).
///
/// ```swift
/// try await TraceContext.$current.withValue(TraceContext(traceparent: header)) {
///   try await client.send(request)
/// }
/// ```
public struct TraceContext: Sendable, Hashable {
  /// The trace that the current task works for; nil for none. Calls of a client with `Tracing` continue it.
  @TaskLocal public static var current: TraceContext?

  /// The identifier of the trace.
  public let traceID: TraceID
  /// The identifier of the span; not zero.
  public let spanID: SpanID
  /// True if the trace is recorded.
  public var isSampled: Bool
  /// True if the system that began the trace says that the last 7 bytes of its identifier are random, so that
  /// samplers may rely on them (the random-trace-id flag). It stays the same within a trace.
  package let hasRandomTraceID: Bool
  /// The members that tracing systems have added, newest first (`tracestate`); empty without members. An
  /// invalid state is not sent.
  public var state: String

  /// Creates a context from known identifiers.
  /// - Parameters:
  ///   - traceID: The identifier of the trace.
  ///   - spanID: The identifier of the span.
  ///   - isSampled: True if the trace is recorded. Default: true.
  ///   - hasRandomTraceID: True only if `traceID` is known to be random, such as one of `TraceID.random()`
  ///     that begins a trace. Default: false.
  ///   - state: The value of `tracestate`. Default: empty.
  package init(
    traceID: TraceID, spanID: SpanID, isSampled: Bool = true, hasRandomTraceID: Bool = false,
    state: String = ""
  ) {
    self.traceID = traceID
    self.spanID = spanID
    self.isSampled = isSampled
    self.hasRandomTraceID = hasRandomTraceID
    self.state = state
  }

  /// Creates the context of a new trace with a random identifier.
  public init() { self.init(traceID: .random(), spanID: .random(), hasRandomTraceID: true) }

  /// Returns the context of a new span in the same trace.
  public func child() -> TraceContext {
    TraceContext(
      traceID: traceID, spanID: .random(), isSampled: isSampled, hasRandomTraceID: hasRandomTraceID,
      state: state)
  }

  /// Reads the fields of a request. Returns nil if `traceparent` is not valid. An invalid `tracestate` is
  /// dropped. Of several members with one key, the first is kept; members that do not fit in 512 characters
  /// are removed.
  public init?(traceparent: String, tracestate: String? = nil) {
    let bytes = Array(traceparent.utf8)
    // A later version may have more bytes after the flags.
    guard bytes.count >= 55, bytes[2] == 45, bytes[35] == 45, bytes[52] == 45,
      let version = Self.number(bytes[0..<2]), version != 0xFF,
      bytes.count == 55 || (version > 0 && bytes[55] == 45),
      let high = Self.number(bytes[3..<19]), let low = Self.number(bytes[19..<35]),
      let span = Self.number(bytes[36..<52]), let flags = Self.number(bytes[53..<55]),
      let traceID = TraceID(high: high, low: low), let spanID = SpanID(span)
    else { return nil }
    self.init(
      traceID: traceID, spanID: spanID, isSampled: flags & Self.sampled != 0,
      hasRandomTraceID: flags & Self.randomTraceID != 0, state: tracestate.flatMap(TraceState.valid) ?? "")
  }

  private static let sampled: UInt64 = 1
  private static let randomTraceID: UInt64 = 2

  /// The value of `traceparent`, in version 00.
  public var traceparent: String {
    let flags = (isSampled ? Self.sampled : 0) | (hasRandomTraceID ? Self.randomTraceID : 0)
    return "00-\(traceID)-\(spanID)-0\(flags)"
  }

  /// Reads lower-case hexadecimal digits. Returns nil for other characters.
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
  /// The first 8 bytes.
  package let high: UInt64
  /// The last 8 bytes.
  package let low: UInt64

  /// Creates an identifier. Returns nil if both halves are zero.
  package init?(high: UInt64, low: UInt64) {
    guard high | low != 0 else { return nil }
    self.high = high
    self.low = low
  }

  private init(known high: UInt64, _ low: UInt64) { (self.high, self.low) = (high, low) }

  /// Returns a random identifier.
  package static func random() -> TraceID {
    TraceID(known: .random(in: 0 ... .max), .random(in: 1 ... .max))
  }

  /// 32 hexadecimal digits.
  public var description: String { SpanID.digits(high) + SpanID.digits(low) }
}

/// Identifies a span: 8 bytes that are not all zero.
public struct SpanID: Sendable, Hashable, CustomStringConvertible {
  /// The 8 bytes as a number.
  package let value: UInt64

  /// Creates an identifier. Returns nil for zero.
  package init?(_ value: UInt64) {
    guard value != 0 else { return nil }
    self.value = value
  }

  private init(known value: UInt64) { self.value = value }

  /// Returns a random identifier.
  package static func random() -> SpanID { SpanID(known: .random(in: 1 ... .max)) }

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
  /// Members longer than this are removed first if the whole is too long.
  private static let longMember = 128

  /// Returns the value in the form in which it is passed on: without spaces, empty members and repeated keys,
  /// and with no more members than fit. Returns nil if it is not valid.
  static func valid(_ text: String) -> String? {
    var members = text.split(separator: ",").map { ASCII.trimmed($0) }.filter { !$0.isEmpty }
    guard members.count <= mostMembers, members.allSatisfy(isMember) else { return nil }
    // The first member is the newest, because a system puts its member at the beginning.
    var keys: Set<Substring> = []
    members = members.filter { keys.insert($0.prefix { $0 != "=" }).inserted }
    shorten(&members)
    return members.joined(separator: ",")
  }

  /// Removes whole members until the rest fits. Long members are removed first, each time from the end.
  private static func shorten(_ members: inout [String]) {
    // Includes the comma behind each member but the last.
    var length = members.reduce(-1) { $0 + $1.utf8.count + 1 }
    for least in [longMember + 1, 0] {
      for index in members.indices.reversed()
      where length > mostBytes && members[index].utf8.count >= least {
        length -= members.remove(at: index).utf8.count + 1
      }
    }
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
    // Printable ASCII except the comma and the equals sign, without a space at the end.
    let isValue = value.allSatisfy { 32...126 ~= $0 && $0 != 44 && $0 != 61 }
    return isKey && 1...256 ~= key.count && isValue && 1...256 ~= value.count && value.last != 32
      && key.first.map { 97...122 ~= $0 || 48...57 ~= $0 } == true
  }
}
