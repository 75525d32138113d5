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
  /// True if there is a transfer coding besides `chunked`. None is ever requested, and libcurl would decode
  /// it without a limit.
  private(set) var hasTransferCoding = false

  private var status = 0
  private var fields = HTTPFields()

  var head: ResponseHead { ResponseHead(status: Status(status), fields: fields) }

  /// - Parameter memo: The lines of an earlier head, which are not parsed again, and afterwards those of this one.
  init(_ bytes: UnsafeRawBufferPointer, _ memo: inout HeadMemo) {
    fields.reserveCapacity(12)
    if !takeLines(of: bytes, &memo) {
      memo.forget()
      self = HeadParser(bytes)
    }
  }

  /// Takes a head without folded lines.
  /// - Returns: False if there is one.
  private mutating func takeLines(of bytes: UnsafeRawBufferPointer, _ memo: inout HeadMemo) -> Bool {
    guard let base = bytes.baseAddress else { return true }
    var (start, number) = (0, 0)
    while start < bytes.count {
      if bytes[start] == 32 || bytes[start] == 9 { return false }
      let end = memchr(base + start, 10, bytes.count - start).map { base.distance(to: $0) } ?? bytes.count
      let line = UnsafeRawBufferPointer(start: base + start, count: end - start)
      start = end + 1
      if number > 0, let known = memo.line(number, line) {
        take(known.field, known.kind)
        number += 1
        continue
      }
      let text = Self.withoutEnd(line[...])
      if text.isEmpty { continue }
      var parsed: HeadMemo.Line?
      if number == 0, let line = StatusLine(text) {
        (version, status) = (line.version, line.status)
      } else if let colon = text.firstIndex(of: 58) {
        let field = HTTPFields.Field(Self.string(text[..<colon]), Self.trimmed(text[(colon + 1)...]))
        parsed = HeadMemo.Line(field: field, kind: Self.kind(of: field))
      }
      if let parsed { take(parsed.field, parsed.kind) }
      memo.note(parsed, number, line)
      number += 1
    }
    return true
  }

  private mutating func take(_ field: HTTPFields.Field, _ kind: HeadMemo.Kind) {
    switch kind {
    case .contentEncoding: hasContentEncoding = true
    case .transferCoding: hasTransferCoding = true
    case .other: break
    }
    fields.append(field)
  }

  private static func kind(of field: HTTPFields.Field) -> HeadMemo.Kind {
    if ASCII.equalIgnoringCase(field.name, "Content-Encoding") { return .contentEncoding }
    let isCoding = ASCII.equalIgnoringCase(field.name, "Transfer-Encoding") && !isChunked(field.value)
    return isCoding ? .transferCoding : .other
  }

  /// Takes any head.
  init(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    var isFirst = true
    var field: (name: String, value: String)?
    while !rest.isEmpty {
      let end = rest.firstIndex(of: 10) ?? rest.endIndex
      let line = Self.withoutEnd(rest[..<end])
      rest = end == rest.endIndex ? rest[end...] : rest[(end + 1)...]
      guard let first = line.first else { continue }
      defer { isFirst = false }
      if isFirst, let line = StatusLine(line) {
        (version, status) = (line.version, line.status)
      } else if first == 32 || first == 9 {
        // A folded line (RFC 9112, section 5.2) continues the line before.
        field?.value += " \(Self.trimmed(line))"
      } else if let colon = line.firstIndex(of: 58) {
        if let field { add(field.name, field.value) }
        field = (Self.string(line[..<colon]), Self.trimmed(line[(colon + 1)...]))
      }
    }
    if let field { add(field.name, field.value) }
  }

  private mutating func add(_ name: String, _ value: String) {
    let field = HTTPFields.Field(name, value)
    take(field, Self.kind(of: field))
  }

  private static func isChunked(_ value: String) -> Bool {
    value.split(separator: ",").allSatisfy { part in
      let name = ASCII.trimmed(part)
      return ASCII.equalIgnoringCase(name, "chunked") || ASCII.equalIgnoringCase(name, "identity")
    }
  }

  typealias Bytes = Slice<UnsafeRawBufferPointer>

  private static func string(_ bytes: Bytes) -> String {
    String(decoding: UnsafeRawBufferPointer(rebasing: bytes), as: UTF8.self)
  }

  fileprivate static func withoutEnd(_ line: Bytes) -> Bytes {
    var line = line
    while let last = line.last, isSpace(last) { line.removeLast() }
    return line
  }

  fileprivate static func trimmed(_ text: Bytes) -> String {
    var text = text
    while let first = text.first, isSpace(first) { text.removeFirst() }
    return string(text)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 || byte == 10 }
}

/// The first line of a response, as in `HTTP/1.1 200 OK`.
struct StatusLine {
  let version: HTTPVersion?
  let status: Int

  /// Parses a line; nil if it is no status line.
  init?(_ line: Slice<UnsafeRawBufferPointer>) {
    guard line.count > 8, line[line.startIndex] == UInt8(ascii: "H"), line.starts(with: "HTTP/".utf8) else {
      return nil
    }
    let start = line.startIndex
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

extension AnnouncedLength {
  private static let name = Array(ASCII.lowercased(fieldName).utf8)

  private static func isName(_ line: UnsafeRawBufferPointer) -> Bool {
    name.withUnsafeBytes { name in
      for index in 0..<name.count {
        let byte = line[index]
        if (byte &- 65 < 26 ? byte | 0x20 : byte) != name[index] { return false }
      }
      return true
    }
  }

  /// Takes a line of a head, if it announces a length: libcurl makes something of every length, and takes the
  /// body for whole by it.
  mutating func take(line: UnsafeRawBufferPointer) {
    let end = Self.fieldName.utf8.count
    guard line.count > end, line[end] == UInt8(ascii: ":"), line[0] | 0x20 == UInt8(ascii: "c"),
      Self.isName(line)
    else { return }
    let value = HeadParser.withoutEnd(line[(end + 1)...].drop { $0 == 32 })
    // Nearly every response has one number of a few digits.
    if 1...18 ~= value.count, value.allSatisfy({ 48...57 ~= $0 }) {
      take(value.reduce(0) { $0 * 10 + Int64($1 - 48) })
    } else {
      take(HeadParser.trimmed(value))
    }
  }
}
