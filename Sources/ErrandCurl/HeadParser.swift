import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Parses the head of a response: the status line and the header fields, in order.
struct HeadParser {
  private(set) var version: HTTPVersion?
  /// True if the response has a `Content-Encoding`.
  private(set) var hasContentEncoding = false

  private var status = 0
  private var fields = HTTPFields()

  var head: ResponseHead { ResponseHead(status: HTTPStatus(status), fields: fields) }
  var hasSecrets: Bool { fields.contains(where: \.isSecret) }

  /// - Parameter memo: The last head, whose lines are not parsed again. It is replaced with this head.
  init(_ bytes: UnsafeRawBufferPointer, _ memo: inout HeadMemo) {
    if let known = memo.parsed(bytes) {
      self = known
      return
    }
    fields.reserveCapacity(12)
    guard let base = bytes.baseAddress else { return }
    var (start, number) = (0, 0)
    var last = Unended()
    while start < bytes.count {
      let isFolded = bytes[start] == 32 || bytes[start] == 9
      let end = memchr(base + start, 10, bytes.count - start).map { base.distance(to: $0) } ?? bytes.count
      let line = UnsafeRawBufferPointer(start: base + start, count: end - start)
      start = end + 1
      if number > 0, let known = memo.line(number, line) {
        take(last)
        last = Unended(line: known)
        number += 1
        continue
      }
      let text = Self.withoutEnd(line[...])
      if text.isEmpty { continue }
      var parsed: HeadMemo.Line?
      if number == 0, let line = StatusLine(text) {
        (version, status) = (line.version, line.status)
      } else if isFolded {
        // A folded line (RFC 9112, section 5.2) continues the field before.
        last.continuation += " \(Self.trimmed(text))"
      } else if let colon = text.firstIndex(of: 58) {
        take(last)
        let name = Self.string(text[..<colon])
        let known = Self.line(of: name, Self.trimmed(text[(colon + 1)...], of: name))
        (parsed, last) = (known, Unended(line: known))
      }
      memo.note(parsed, number, line)
      number += 1
    }
    take(last)
    memo.note(self, bytes)
  }

  /// A field that the next line may continue.
  private struct Unended {
    var line: HeadMemo.Line?
    var continuation = ""
  }

  private mutating func take(_ last: Unended) {
    guard var line = last.line else { return }
    if !last.continuation.isEmpty {
      line = Self.line(of: line.field.name, line.field.value + last.continuation)
    }
    if line.isContentEncoding { hasContentEncoding = true }
    fields.append(line.field)
  }

  private static func line(of name: String, _ value: String) -> HeadMemo.Line {
    HeadMemo.Line(
      field: HTTPFields.Field(name, value),
      isContentEncoding: ASCII.equalIgnoringCase(name, "Content-Encoding"))
  }

  typealias Bytes = Slice<UnsafeRawBufferPointer>

  private static func string(_ bytes: Bytes, of name: String = "") -> String {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    // A cookie would be sent back with other bytes, so it is dropped because of these replacements.
    if ASCII.equalIgnoringCase(name, "Set-Cookie") { return String(decoding: bytes, as: UTF8.self) }
    // Other values are read as ISO 8859-1, as in RFC 2616, so that no byte is lost.
    return String(String.UnicodeScalarView(bytes.map(Unicode.Scalar.init)))
  }

  private static func withoutEnd(_ line: Bytes) -> Bytes {
    var line = line
    while let last = line.last, isSpace(last) { line.removeLast() }
    return line
  }

  private static func trimmed(_ text: Bytes, of name: String = "") -> String {
    var text = text
    while let first = text.first, isSpace(first) { text.removeFirst() }
    return string(text, of: name)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 || byte == 10 }
}

/// The first line of a response, such as `HTTP/1.1 200 OK`.
struct StatusLine {
  let version: HTTPVersion?
  let status: Int

  /// Parses a line; nil if it is not a status line.
  init?(_ line: Slice<UnsafeRawBufferPointer>) {
    let start = line.startIndex
    // Byte by byte, because `starts(with:)` costs more than the rest of this.
    guard line.count > 8, line[start] == UInt8(ascii: "H"), line[start + 1] == UInt8(ascii: "T"),
      line[start + 2] == UInt8(ascii: "T"), line[start + 3] == UInt8(ascii: "P"),
      line[start + 4] == UInt8(ascii: "/")
    else { return nil }
    let end = line.firstIndex(of: 32) ?? line.endIndex
    version =
      switch (line[start + 5], end - start) {
      case (UInt8(ascii: "1"), 8): line[start + 7] == UInt8(ascii: "0") ? .http10 : .http11
      case (UInt8(ascii: "2"), _): .http2
      case (UInt8(ascii: "3"), _): .http3
      default: nil
      }
    var status = 0
    for byte in line[end...].drop(while: { $0 == 32 }).prefix(3) where 48...57 ~= byte {
      status = status * 10 + Int(byte - 48)
    }
    self.status = status
  }
}
