public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Response {
  /// The lines of the body as they arrive, without their ends (LF, CR or CRLF); also those of a body in memory. A line
  /// longer than 1 MiB is an error (`bodyTooLarge`); see ``lines(limit:)``.
  ///
  /// ```swift
  /// for try await line in try await client.stream(.get(logURL)).lines { print(line) }
  /// ```
  public var lines: some AsyncSequence<String, any Error> & Sendable { lines(limit: 1 << 20) }

  /// Returns the lines of the body as they arrive, without their ends (LF, CR or CRLF); also those of a body in memory.
  /// The text is UTF-8; invalid bytes become U+FFFD, and a byte order mark is left out. The last line need not have an
  /// end.
  /// - Parameter limit: The maximum length of a line, in bytes. A longer one is an error (`bodyTooLarge`).
  public func lines(limit: Int) -> some AsyncSequence<String, any Error> & Sendable {
    BodyParts(self) { LinePieces(limit: limit) }
  }

  /// Decodes each line of the body as it arrives (JSON Lines, also called NDJSON). Empty lines are left out.
  ///
  /// A body of the type `application/json-seq` is read as RFC 7464 says: a record separator (0x1E) begins each text. A
  /// number or a word there that is not followed by white space is an error, because the rest may be missing.
  ///
  /// ```swift
  /// for try await entry in try await client.stream(.get(logURL)).jsonLines(as: Entry.self) { show(entry) }
  /// ```
  /// - Parameters:
  ///   - type: The type of each line.
  ///   - limit: The maximum length of a line, in bytes. A longer one is an error (`bodyTooLarge`). Default: 1 MiB.
  ///   - decoder: The decoder. Default: the client's (`ClientConfiguration.jsonDecoder`).
  /// - Returns: A sequence that throws `RequestError`: `decodingFailed`, with the number of the line, if a line is not
  ///   such a value.
  public func jsonLines<Value: Decodable & Sendable>(
    as type: Value.Type, limit: Int = 1 << 20, decoder: JSONDecoder? = nil
  ) -> some AsyncSequence<Value, any Error> & Sendable {
    let decoder = decoder ?? ownDecoder
    let isSequence = MediaType.matches(fields["Content-Type"] ?? "", "application/json-seq")
    return BodyParts(self) {
      JSONPieces<Value>(limit: limit, isSequence: isSequence, decoder: decoder)
    }
  }

  /// Decodes each element of a JSON array as it arrives. The array may have any length: only one element is in memory.
  ///
  /// ```swift
  /// for try await user in try await client.stream(.get(usersURL)).decodeEach(as: User.self) { add(user) }
  /// ```
  /// - Parameters:
  ///   - type: The type of each element.
  ///   - limit: The maximum length of an element, in bytes. A longer one is an error (`bodyTooLarge`). Default: 1 MiB.
  ///   - decoder: The decoder. Default: the client's (`ClientConfiguration.jsonDecoder`).
  /// - Returns: A sequence that throws `RequestError`: `decodingFailed`, with the number of the element, if the body is
  ///   not an array of such values. The elements before the fault are returned first.
  public func decodeEach<Value: Decodable & Sendable>(
    as type: Value.Type, limit: Int = 1 << 20, decoder: JSONDecoder? = nil
  ) -> some AsyncSequence<Value, any Error> & Sendable {
    let decoder = decoder ?? ownDecoder
    return BodyParts(self) { ElementPieces<Value>(limit: limit, decoder: decoder) }
  }
}

/// Makes the parts of a body, such as lines, from its bytes.
private protocol BodyPieces {
  associatedtype Part
  /// Adds the parts that these bytes complete.
  mutating func read(_ bytes: Data, of response: Response, into parts: inout [Part]) throws
  /// Adds the part that the end of the body completes.
  mutating func end(of response: Response, into parts: inout [Part]) throws
}

/// The parts of a body, as they arrive.
private struct BodyParts<Pieces: BodyPieces>: AsyncSequence, Sendable where Pieces.Part: Sendable {
  typealias Element = Pieces.Part
  typealias Failure = any Error

  let response: Response
  let pieces: @Sendable () -> Pieces

  init(_ response: Response, _ pieces: @escaping @Sendable () -> Pieces) {
    self.response = response
    self.pieces = pieces
  }

  struct AsyncIterator: AsyncIteratorProtocol {
    let response: Response
    var pieces: Pieces
    /// Nil after the end.
    var chunks: ByteStream.AsyncIterator?
    /// The parts that have been read, the next one last.
    var ready: [Pieces.Part] = []
    /// The error that follows the parts.
    var failure: (any Error)?

    mutating func next() async throws -> Pieces.Part? {
      while true {
        if let part = ready.popLast() { return part }
        if let failure {
          self.failure = nil
          throw failure
        }
        guard var chunks else { return nil }
        do {
          let chunk = try await chunks.next()
          self.chunks = chunk == nil ? nil : chunks
          read(chunk)
          // A server that is faster than the reader must not keep the thread from other tasks.
          await Task.yield()
        } catch {
          self.chunks = nil
          throw error
        }
      }
    }

    private mutating func read(_ chunk: Data?) {
      var parts: [Pieces.Part] = []
      do {
        if let chunk {
          try pieces.read(chunk, of: response, into: &parts)
        } else {
          try pieces.end(of: response, into: &parts)
        }
      } catch {
        failure = error
        chunks = nil
      }
      ready = parts.reversed()
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    var iterator = AsyncIterator(
      response: response, pieces: pieces(), chunks: response.chunks.makeAsyncIterator())
    if response.file != nil {
      iterator.chunks = nil
      iterator.failure = RequestError(
        .unsupported, message: "the body of a download is in its file; read it there, or use stream",
        reachedServer: true)
    }
    return iterator
  }
}

extension RequestError {
  fileprivate static func tooLong(_ part: String, limit: Int) -> RequestError {
    RequestError(
      .bodyTooLarge, message: "\(part) of the response is longer than the limit of \(limit) bytes",
      reachedServer: true)
  }
}

private struct LinePieces: BodyPieces {
  private var lines: LineSplitter
  private var isFirst = true

  init(limit: Int) { lines = LineSplitter(limit: max(1, limit)) }

  mutating func read(_ bytes: Data, of response: Response, into parts: inout [String]) throws {
    var isFirst = isFirst
    defer { self.isFirst = isFirst }
    do {
      try lines.split(bytes) { line in
        parts.append(Self.text(line, isFirst: isFirst))
        isFirst = false
      }
    } catch let error as LineSplitter.TooLong {
      throw RequestError.tooLong("a line", limit: error.limit)
    }
  }

  mutating func end(of response: Response, into parts: inout [String]) {
    if let rest = lines.rest() { parts.append(Self.text(rest, isFirst: isFirst)) }
  }

  private static func text(_ line: Data, isFirst: Bool) -> String {
    String(decoding: isFirst ? line.withoutByteOrderMark : line, as: UTF8.self)
  }
}

private struct JSONPieces<Value: Decodable>: BodyPieces {
  private static var separator: UInt8 { 0x1E }
  private let isSequence: Bool
  private let decoder: JSONDecoder
  private var lines: LineSplitter
  private var count = 0

  init(limit: Int, isSequence: Bool, decoder: JSONDecoder) {
    self.isSequence = isSequence
    self.decoder = decoder
    lines = LineSplitter(
      limit: max(1, limit), endingWith: isSequence ? Self.separator : UInt8(ascii: "\n"))
  }

  mutating func read(_ bytes: Data, of response: Response, into parts: inout [Value]) throws {
    var found: [Data] = []
    let result = Result { try lines.split(bytes) { found.append($0) } }
    for line in found { try read(line: line, of: response, into: &parts) }
    do { try result.get() } catch let error as LineSplitter.TooLong {
      throw RequestError.tooLong("a line", limit: error.limit)
    }
  }

  mutating func end(of response: Response, into parts: inout [Value]) throws {
    if let rest = lines.rest() { try read(line: rest, of: response, into: &parts) }
  }

  private mutating func read(line: Data, of response: Response, into parts: inout [Value]) throws {
    count += 1
    guard let first = line.first(where: { !Self.isSpace($0) }), let last = line.last else { return }
    let name = isSequence ? "text \(count - 1)" : "line \(count)"
    if isSequence, !Self.isSpace(last), !"{[\"".utf8.contains(first) {
      throw response.malformed("\(name) of the response may be incomplete: no white space follows it")
    }
    parts.append(
      try response.decode(Value.self, from: line, named: "\(name) of the response", decoder: decoder))
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}

private struct ElementPieces<Value: Decodable>: BodyPieces {
  private let decoder: JSONDecoder
  private var array: JSONArraySplitter
  private var count = 0

  init(limit: Int, decoder: JSONDecoder) {
    self.decoder = decoder
    array = JSONArraySplitter(limit: max(1, limit))
  }

  mutating func read(_ bytes: Data, of response: Response, into parts: inout [Value]) throws {
    var elements: [Data] = []
    let result = Result { () throws(JSONArraySplitter.Problem) in try array.read(bytes, into: &elements) }
    for element in elements {
      count += 1
      parts.append(
        try response.decode(
          Value.self, from: element, named: "element \(count) of the response", decoder: decoder))
    }
    if case .failure(let problem) = result { throw Self.error(problem, response) }
  }

  mutating func end(of response: Response, into parts: inout [Value]) throws {
    do throws(JSONArraySplitter.Problem) { try array.end() } catch { throw Self.error(error, response) }
  }

  private static func error(_ problem: JSONArraySplitter.Problem, _ response: Response) -> RequestError {
    switch problem {
    case .notAnArray: response.malformed("the response is not a JSON array")
    case .unexpected(let byte, let count):
      response.malformed(
        "the response is not a JSON array: after \(count) elements comes \(shown(byte)), where no value or comma stands"
      )
    case .incomplete(let count):
      response.malformed("the JSON array of the response is incomplete: it ends after \(count) elements")
    case .tooLong(let limit): .tooLong("an element", limit: limit)
    }
  }

  private static func shown(_ byte: UInt8) -> String {
    0x21...0x7E ~= byte ? "\(Unicode.Scalar(byte))" : "the byte \(byte)"
  }
}
