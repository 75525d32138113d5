import ErrandCore

/// Reads the head of an answer, line by line, as libcurl hands it over.
struct HeadParser {
  private(set) var byteCount = 0
  /// The head, once it is whole.
  private(set) var head: ResponseHead?
  private(set) var version: HTTPVersion?
  /// True if there are two lengths that differ: where the body ends nobody knows (RFC 9112, section 6.3).
  private(set) var hasConflictingLengths = false
  private var status = 0
  private var fields = HTTPFields()

  /// Takes a line with its end. Returns the head when this line completes it: an empty one after a status that is
  /// not 1xx. What comes later are trailers, which are dropped.
  mutating func take(_ line: UnsafeRawBufferPointer) -> ResponseHead? {
    byteCount += line.count
    guard head == nil else { return nil }
    let text = Self.trimmed(line, 0, line.count, keepsFront: true)
    guard let first = text.first else { return complete() }
    if text.starts(with: "HTTP/".utf8) {
      begin(text)
    } else if first == 32 || first == 9 {
      // A folded line (RFC 9112, section 5.2) goes on with the one before.
      fields.extendLast(with: " \(Self.string(Self.trimmed(text, 0, text.count)))")
    } else if let colon = text.firstIndex(of: 58) {
      append(Self.string(text[..<colon]), Self.string(Self.trimmed(text, colon + 1, text.count)))
    }
    return nil
  }

  /// `HTTP/1.1 200 OK`
  private mutating func begin(_ line: UnsafeRawBufferPointer) {
    let end = line.firstIndex(of: 32) ?? line.count
    version =
      switch Self.string(line[..<end]) {
      case "HTTP/1.1": .http11
      case "HTTP/2", "HTTP/2.0": .http2
      case "HTTP/1.0": .http10
      case "HTTP/3": .http3
      default: nil
      }
    status = 0
    for byte in line[end...].dropFirst().prefix(3) where 48...57 ~= byte {
      status = status * 10 + Int(byte - 48)
    }
    fields = HTTPFields()
    fields.reserveCapacity(12)
  }

  private mutating func append(_ name: String, _ value: String) {
    if ASCII.equalIgnoringCase(name, "Content-Length"), let other = fields.values(of: name).last, other != value {
      hasConflictingLengths = true
    }
    fields.append(name, value)
  }

  private mutating func complete() -> ResponseHead? {
    guard status >= 200 || status == 101 else { return nil }
    head = ResponseHead(status: Status(status), fields: fields)
    fields = HTTPFields()
    return head
  }

  private static func string(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  /// Without the line's end and the white space around it.
  private static func trimmed(
    _ bytes: UnsafeRawBufferPointer, _ from: Int, _ to: Int, keepsFront: Bool = false
  ) -> UnsafeRawBufferPointer {
    var (start, end) = (from, to)
    while end > start,
      bytes[end - 1] == 13 || bytes[end - 1] == 10 || bytes[end - 1] == 32 || bytes[end - 1] == 9
    {
      end -= 1
    }
    while !keepsFront, start < end, bytes[start] == 32 || bytes[start] == 9 { start += 1 }
    return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
  }
}
