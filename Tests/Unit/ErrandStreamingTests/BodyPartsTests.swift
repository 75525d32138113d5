import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCore
@testable import ErrandStreaming

/// Bodies that are read in parts, over a stub that divides them anywhere.
@Suite struct BodyPartsTests {
  private struct Point: Codable, Hashable { var x: Int }

  /// Reads parts of a body whole and in random pieces, of streams and of a response in memory.
  private static func parts<Part: Hashable & Sendable, Parts: AsyncSequence & Sendable>(
    _ body: Data, type: String? = nil, _ read: (Response) -> Parts
  ) async throws -> [Part] where Parts.Element == Part {
    var random = SeededRandom(seed: 5)
    var results: [[Part]] = []
    for largest in [body.count + 1, 1, 2, 9] {
      var (chunks, rest): ([Data], Data) = ([], body)
      while !rest.isEmpty {
        let size = Int.random(in: 1...largest, using: &random)
        chunks.append(rest.prefix(size))
        rest = rest.dropFirst(size)
      }
      let fields: HTTPFields = type.map { ["Content-Type": $0] } ?? [:]
      let client = Client(transport: StubTransport([.response(fields: fields, chunks: chunks)]))
      for response in [
        try await client.stream(.get("http://a.test")), try await client.send(.get("http://a.test")),
      ] {
        var found: [Part] = []
        for try await part in read(response) { found.append(part) }
        results.append(found)
      }
    }
    #expect(results.allSatisfy { $0 == results[0] })
    return results[0]
  }

  /// Reads parts of a stream on one thread, and waits after the first part until all chunks have arrived.
  /// - Returns: How many parts were read when another task of the thread ran.
  private static func partsBeforeAnotherTask<Parts: AsyncSequence & Sendable>(
    _ stub: StubTransport, _ parts: Parts
  ) async throws -> Int {
    let thread = OneThread("reader")
    let count = Locked(0)
    let look: @Sendable () async -> Int = { count.withLock { $0 } }
    let reader = Task.detached(executorPreference: thread) {
      var other: Task<Int, Never>?
      for try await _ in parts {
        count.withLock { $0 += 1 }
        guard other == nil else { continue }
        while stub.inFlight > 0 { await Task.yield() }
        other = Task.detached(executorPreference: thread, operation: look)
      }
      return await other?.value ?? 0
    }
    return try await reader.value
  }

  @Test func `other tasks run between two chunks of lines or events that have arrived`() async throws {
    let step = StubStep.response(
      fields: ["Content-Type": "text/event-stream"], chunks: (0..<100).map { Data("data: \($0)\n\n".utf8) })
    let stub = StubTransport { request in request.index < 2 ? step : .response(status: 204) }
    let client = Client(transport: stub)
    let response = try await client.stream(.get("http://a.test"))
    #expect(try await Self.partsBeforeAnotherTask(stub, response.lines) < 10)
    #expect(try await Self.partsBeforeAnotherTask(stub, client.events(.get("http://a.test"))) < 10)
  }

  private func lines(_ text: String, limit: Int = 100) async throws -> [String] {
    try await Self.parts(Data(text.utf8)) { $0.lines(limit: limit) }
  }

  @Test func `lines end with LF, CR or CRLF, and the last one need not`() async throws {
    #expect(try await lines("a\nb\rc\r\n\r\n\nd") == ["a", "b", "c", "", "", "d"])
    #expect(try await lines("a\n") == ["a"])
    #expect(try await lines("") == [])
    #expect(try await lines("\r\r\n") == ["", ""])
    #expect(try await lines("\u{FEFF}ü\n\u{FEFF}x") == ["ü", "\u{FEFF}x"])
  }

  @Test func `a line that is too long is an error, after the lines before it`() async throws {
    #expect(try await lines("12345\n12345", limit: 5) == ["12345", "12345"])
    let client = Client(transport: StubTransport([.response(body: "1\n2\n123456\n3\n")]))
    var found: [String] = []
    let error = await #expect(throws: RequestError.self) {
      for try await line in try await client.stream(.get("http://a.test")).lines(limit: 5) {
        found.append(line)
      }
    }
    #expect(error?.code == .bodyTooLarge && found == ["1", "2"])
  }

  private func points(_ text: String, type: String? = nil) async throws -> [Int] {
    try await Self.parts(Data(text.utf8), type: type) { $0.jsonLines(as: Point.self) }.map(\Point.x)
  }

  @Test func `each line of JSON Lines is decoded, and empty lines are not`() async throws {
    #expect(try await points("{\"x\":1}\n\r\n  \n{\"x\":\r2}\r\n{\"x\":3}") == [1, 2, 3])
    let error = await #expect(throws: RequestError.self) { try await points("{\"x\":1}\n{\"x\":") }
    #expect(error?.code == .decodingFailed && error?.description.contains("line 2 of the response") == true)
  }

  @Test func `JSON text sequences are read as RFC 7464 says`() async throws {
    let type = "application/json-seq"
    #expect(
      try await points("\u{1E}{\"x\":1}\n\u{1E}\u{1E}\n\u{1E}{\n\"x\":2}\n\u{1E}{\"x\":3}", type: type) == [
        1, 2, 3,
      ])
    func numbers(_ text: String) async throws -> [Int] {
      try await Self.parts(Data(text.utf8), type: type) { $0.jsonLines(as: Int.self) }
    }
    #expect(try await numbers("\u{1E}12\n\u{1E}34\n") == [12, 34])
    let error = await #expect(throws: RequestError.self) { try await numbers("\u{1E}12\n\u{1E}34") }
    #expect(error?.description.contains("text 2 of the response may be incomplete") == true)
  }

  private func elements<Value: Codable & Hashable & Sendable>(_ text: String, _ type: Value.Type) async throws
    -> [Value]
  {
    try await Self.parts(Data(text.utf8)) { $0.decodeEach(as: type) }
  }

  @Test func `each element of an array is decoded`() async throws {
    #expect(try await elements(" [ {\"x\":1} ,\n{\"x\":2}]\n", Point.self) == [Point(x: 1), Point(x: 2)])
    #expect(try await elements("\u{FEFF}[1,-2.5e1,3 , 4]", Double.self) == [1, -25, 3, 4])
    #expect(try await elements("[\"a]\",\"\\\"[\",\"\\\\\",\"\"]", String.self) == ["a]", "\"[", "\\", ""])
    #expect(try await elements("[[],[[1]],[[2],[3]]]", [[Int]].self) == [[], [[1]], [[2], [3]]])
    #expect(try await elements("[]", Int.self) == [])
    #expect(try await elements("[true,null]", Bool?.self) == [true, nil])
  }

  @Test(arguments: [
    ("{}", "is not a JSON array"), ("", "incomplete"), ("[", "incomplete"), ("[1", "after 0"),
    ("[1,", "after 1"),
    ("[1,2]x", "after 2 elements comes x"), ("[1 2]", "after 1 elements comes 2"), ("[1,,2]", "comes ,"),
    ("[1,]", "comes ]"), ("[,1]", "comes ,"), ("[1]]", "comes ]"), ("[1}]", "comes }"),
    ("[1:2]", "element 1"),
    ("[\"a", "after 0"), ("[tru]", "element 1"), ("[1],[2]", "comes ,"),
  ])
  func `an array that is malformed is an error`(text: String, part: String) async throws {
    let error = await #expect(throws: RequestError.self) { try await elements(text, Int.self) }
    #expect(error?.code == .decodingFailed && error?.description.contains(part) == true, "\(error as Any)")
  }

  @Test func `an element that is too long is an error, and a million short ones are not`() async throws {
    let client = Client(
      transport: StubTransport { request in
        if request.url.path == "/long" { return .response(body: "[1,22,333,4444,55555]") }
        return .response(
          chunks: [Data("[0".utf8)] + (1..<1000).map { _ in Data(String(repeating: ",1", count: 1000).utf8) }
            + [Data("]".utf8)])
      })
    var found: [Int] = []
    let error = await #expect(throws: RequestError.self) {
      for try await element in try await client.stream(.get("http://a.test/long")).decodeEach(
        as: Int.self, limit: 4)
      {
        found.append(element)
      }
    }
    #expect(error?.code == .bodyTooLarge && found == [1, 22, 333, 4444])
    var sum = 0
    for try await element in try await client.stream(.get("http://a.test/many")).decodeEach(as: Int.self) {
      sum += element
    }
    #expect(sum == 999_000)
  }

  @Test(arguments: 0..<20 as Range<UInt64>) func `random arrays are read whole`(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let strings = (0..<Int.random(in: 0...20, using: &random)).map { _ in
      (0..<Int.random(in: 0...6, using: &random)).map { _ in
        ["\"", "\\", "[", "]", "{", "}", ",", ":", " ", "\n", "ü", "a"].randomElement(using: &random) ?? ""
      }.joined()
    }
    let encoder = JSONEncoder()
    if seed % 2 == 0 { encoder.outputFormatting = .prettyPrinted }
    let values = strings.map { [$0: [$0]] }
    let text = String(decoding: try encoder.encode(values), as: UTF8.self)
    #expect(try await elements(text, [String: [String]].self) == values)
  }
}
