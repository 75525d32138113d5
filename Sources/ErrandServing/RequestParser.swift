package import ErrandCore

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// An incremental parser of HTTP/1.1 requests. Pure.
package struct RequestParser {
  package enum Event: Equatable {
    case head(method: HTTPMethod, target: String, fields: HTTPFields)
    case body(Data)
    case complete(trailers: HTTPFields)
    /// The bytes are not a request. The bytes after them cannot be parsed.
    case malformed(String)
  }

  private enum State {
    case head
    case body(Int)
    case chunkSize
    case chunk(Int)
    case chunkEnd
    case trailers
    case complete
    case broken
  }

  private let headLimit: Int

  private var input: [UInt8] = []
  private var offset = 0
  private var state = State.head
  private var trailers = HTTPFields()
  /// True if the client expects the connection to end after the response to its last request: it asked for that,
  /// or its version is HTTP/1.0 (RFC 9112, section 9.3).
  package private(set) var endsConnection = false

  /// - Parameter headLimit: The most bytes of a head, or of a line between or after chunks.
  package init(headLimit: Int = 4 << 20) { self.headLimit = headLimit }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if offset == input.count {
      input.removeAll(keepingCapacity: true)
      offset = 0
    } else if offset > 1 << 20 {
      input.removeFirst(offset)
      offset = 0
    }
    input.append(contentsOf: bytes)
  }

  /// Returns the next event; nil if it needs more bytes or a call of `beginNext`.
  package mutating func next() -> Event? {
    while true {
      switch state {
      case .head: return head()
      case .body(0):
        state = .complete
        defer { trailers = [:] }
        return .complete(trailers: trailers)
      case .body(let rest):
        guard let data = take(upTo: rest) else { return nil }
        state = .body(rest - data.count)
        return .body(data)
      case .chunkSize:
        guard let line = line() else { return lineIsTooLong() }
        guard let size = Int(line.prefix { $0 != ";" }, radix: 16), size >= 0 else {
          return broken("a chunk's length is not a number")
        }
        state = size == 0 ? .trailers : .chunk(size)
      case .chunk(0): state = .chunkEnd
      case .chunk(let rest):
        guard let data = take(upTo: rest) else { return nil }
        state = .chunk(rest - data.count)
        return .body(data)
      case .chunkEnd:
        guard let line = line() else { return lineIsTooLong() }
        guard line.isEmpty else { return broken("a chunk is longer than its length") }
        state = .chunkSize
      case .trailers:
        guard let line = line() else { return lineIsTooLong() }
        if line.isEmpty {
          state = .body(0)
        } else if !add(line, to: &trailers) {
          return broken("a trailer has no colon")
        }
      case .complete, .broken: return nil
      }
    }
  }

  /// Begins the next request, after the response to the complete one was sent.
  package mutating func beginNext() {
    if case .complete = state { state = .head }
  }

  private mutating func broken(_ why: String) -> Event {
    state = .broken
    return .malformed(why)
  }

  private mutating func take(upTo count: Int) -> Data? {
    let available = min(count, input.count - offset)
    guard available > 0 else { return nil }
    defer { offset += available }
    return Data(input[offset..<offset + available])
  }

  /// Returns nil while the unfinished line is within the limit.
  private mutating func lineIsTooLong() -> Event? {
    input.count - offset > headLimit ? broken("a line is too long") : nil
  }

  private mutating func line() -> String? {
    guard let end = input[offset...].firstIndex(of: 10) else { return nil }
    defer { offset = end + 1 }
    var line = input[offset..<end]
    if line.last == 13 { line.removeLast() }
    return String(decoding: line, as: UTF8.self)
  }

  private func add(_ line: String, to fields: inout HTTPFields) -> Bool {
    guard let colon = line.firstIndex(of: ":") else { return false }
    fields.append(String(line[..<colon]), ASCII.trimmed(line[line.index(after: colon)...]))
    return true
  }

  private func hasWholeHead() -> Bool {
    var lineStart = offset
    while let end = input[lineStart...].firstIndex(of: 10) {
      if end == lineStart || (end == lineStart + 1 && input[lineStart] == 13) { return true }
      lineStart = end + 1
    }
    return false
  }

  private mutating func head() -> Event? {
    // Empty lines before a request are ignored (RFC 9112, section 2.2).
    while offset < input.count, input[offset] == 13 || input[offset] == 10 { offset += 1 }
    // Rejected at once, because a TLS handshake contains no line end to wait for.
    if offset < input.count, input[offset] < 32 || input[offset] > 126 {
      return broken("the request line is missing")
    }
    guard hasWholeHead() else {
      return input.count - offset > headLimit ? broken("the head is too long") : nil
    }
    let words = (line() ?? "").split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard words.count == 3, ASCII.isToken(words[0]), words[2].hasPrefix("HTTP/1.") else {
      return broken("the request line is missing")
    }
    var fields = HTTPFields()
    while let line = line(), !line.isEmpty {
      guard add(line, to: &fields) else { return broken("a field has no colon") }
    }
    endsConnection = words[2] == "HTTP/1.0" || fields.endConnection
    if let coding = fields["Transfer-Encoding"].map(ASCII.lowercased), coding.hasSuffix("chunked") {
      state = .chunkSize
    } else if let length = fields["Content-Length"] {
      guard let count = Int(length), count >= 0 else { return broken("Content-Length is not a number") }
      state = .body(count)
    } else {
      state = .body(0)
    }
    return .head(method: HTTPMethod(words[0]), target: words[1], fields: fields)
  }
}

extension HTTPFields {
  /// True if `Connection` says that the connection ends after this message (RFC 9112, section 9.6).
  var endConnection: Bool {
    values(of: "Connection").contains { value in
      value.split(separator: ",").contains { ASCII.equalIgnoringCase(ASCII.trimmed($0), "close") }
    }
  }
}
