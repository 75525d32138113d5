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
  private var lines: [(name: String, value: String)] = []

  /// Takes a line with its end. Returns the head when this line completes it: an empty one after a status that is
  /// not 1xx. What comes later are trailers, which are dropped.
  mutating func take(_ line: UnsafeRawBufferPointer) -> ResponseHead? {
    byteCount += line.count
    guard head == nil else { return nil }
    let text = Self.withoutEnd(line)
    if text.isEmpty { return complete() }
    if text.starts(with: "HTTP/".utf8) {
      begin(String(decoding: text, as: UTF8.self))
    } else if text[text.startIndex] == 32 || text[text.startIndex] == 9 {
      // A folded line (RFC 9112, section 5.2) goes on with the one before.
      if !lines.isEmpty { lines[lines.count - 1].value += " \(Self.trimmed(text))" }
    } else if let colon = text.firstIndex(of: 58) {
      lines.append(
        (String(decoding: text[..<colon], as: UTF8.self), Self.trimmed(text[(colon + 1)...])))
    }
    return nil
  }

  private mutating func begin(_ line: String) {
    let words = line.split(separator: " ", maxSplits: 2)
    version =
      switch words[0] {
      case "HTTP/1.0": .http10
      case "HTTP/1.1": .http11
      case "HTTP/2", "HTTP/2.0": .http2
      case "HTTP/3": .http3
      default: nil
      }
    status = words.count > 1 ? Int(words[1]) ?? 0 : 0
    lines.removeAll(keepingCapacity: true)
  }

  private mutating func complete() -> ResponseHead? {
    guard status >= 200 || status == 101 else { return nil }
    var fields = HTTPFields()
    var length: String?
    for line in lines {
      fields.append(line.name, line.value)
      guard ASCII.equalIgnoringCase(line.name, "Content-Length") else { continue }
      if let length, length != line.value { hasConflictingLengths = true }
      length = line.value
    }
    head = ResponseHead(status: Status(status), fields: fields)
    lines = []
    return head
  }

  private typealias Bytes = Slice<UnsafeRawBufferPointer>

  private static func withoutEnd(_ line: UnsafeRawBufferPointer) -> Bytes {
    var text = line[...]
    while let last = text.last, last == 10 || last == 13 { text.removeLast() }
    return text
  }

  private static func trimmed(_ text: Bytes) -> String {
    var text = text
    while let first = text.first, first == 32 || first == 9 { text.removeFirst() }
    while let last = text.last, last == 32 || last == 9 { text.removeLast() }
    return String(decoding: text, as: UTF8.self)
  }
}
