import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The end of a response's body, according to its head (RFC 9112, section 6). libcurl accepts every head, so
/// each line is checked here. Pure.
struct BodyFraming {
  private enum Kind {
    case length, coding, other
  }

  private var length = AnnouncedLength()
  /// True if the body ends with its last chunk.
  private(set) var isChunked = false
  private var last = Kind.other
  private var fieldFault: String?
  private var codingFault: String?

  /// The announced length in bytes; nil if the head announces none, or if the body is chunked.
  var bytes: Int64? { isChunked || codingFault != nil ? nil : length.bytes }

  /// Returns the reason why the head is malformed, or why the end of the body is unknown; nil if both are fine.
  /// - Parameter decodes: False if the body is delivered as it was transferred. With an unknown transfer coding, it
  ///   then ends when the connection ends (RFC 9112, section 6.3).
  func problem(mayHaveBody: Bool, decodes: Bool = true) -> String? {
    if let fieldFault { return fieldFault }
    guard mayHaveBody else { return nil }
    if codingFault != nil, !decodes, !isChunked { return nil }
    return codingFault ?? length.problem
  }

  init() {}

  /// Reads the lines of the fields.
  init(_ fields: Slice<UnsafeRawBufferPointer>) {
    for line in fields.split(separator: 10) { take(line: UnsafeRawBufferPointer(rebasing: line)) }
  }

  /// Reads a head, whose first line is the status line.
  init(head: UnsafeRawBufferPointer) {
    self.init(head.drop { $0 != 10 })
  }

  /// Reads a line without its LF.
  private mutating func take(line: UnsafeRawBufferPointer) {
    let text = line.last == 13 ? UnsafeRawBufferPointer(rebasing: line.dropLast()) : line
    guard let first = text.first else { return }
    if hasStrayByte(text) { fieldFault = fieldFault ?? "a field of the response contains NUL or a bare CR" }
    if first == 32 || first == 9 {
      // A folded line continues the field before (RFC 9112, section 5.2). libcurl may not notice that.
      if last != .other { fieldFault = fieldFault ?? "a field that says where the response ends is folded" }
      return
    }
    let end = ASCII.tokenLength(text)
    guard end > 0, end < text.count, text[end] == UInt8(ascii: ":") else {
      fieldFault = fieldFault ?? "the name of a field of the response is not a token, or has no colon"
      return
    }
    last = Self.kind(UnsafeRawBufferPointer(rebasing: text[..<end]))
    if last != .other { take(last, Self.trimmed(text[(end + 1)...])) }
  }

  private mutating func take(_ kind: Kind, _ value: UnsafeRawBufferPointer) {
    if kind == .length {
      // Nearly every response has one number, which needs no string.
      if let number = ASCII.wholeNumber(value) {
        length.take(number)
      } else {
        length.take(String(decoding: value, as: UTF8.self))
      }
    } else if isChunked || !ASCII.equalIgnoringCase(value, "chunked") {
      codingFault = "the response has a transfer coding other than chunked, or chunked twice"
    } else {
      isChunked = true
    }
  }

  private static func kind(_ name: UnsafeRawBufferPointer) -> Kind {
    switch name[0] | 0x20 {
    case UInt8(ascii: "c") where ASCII.equalIgnoringCase(name, AnnouncedLength.fieldName): .length
    case UInt8(ascii: "t") where ASCII.equalIgnoringCase(name, "Transfer-Encoding"): .coding
    default: .other
    }
  }

  private func hasStrayByte(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let start = text.baseAddress else { return false }
    return memchr(start, 0, text.count) != nil || memchr(start, 13, text.count) != nil
  }

  private static func trimmed(_ value: Slice<UnsafeRawBufferPointer>) -> UnsafeRawBufferPointer {
    var value = value
    while let first = value.first, first == 32 || first == 9 { value.removeFirst() }
    while let last = value.last, last == 32 || last == 9 { value.removeLast() }
    return UnsafeRawBufferPointer(rebasing: value)
  }
}
