import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite(.timeLimit(.minutes(1))) struct JSONCodersTests {
  private struct Note: Codable, Sendable, Equatable { var noteTitle: String }
  /// Is not `Sendable`, so it must be encoded in the caller's isolation.
  private final class Draft: Encodable { var noteTitle = "Milk" }

  private static func snakeCase(_ configuration: inout ClientConfiguration) {
    configuration.jsonEncoder = {
      let encoder = JSONEncoder()
      encoder.keyEncodingStrategy = .convertToSnakeCase
      return encoder
    }
    configuration.jsonDecoder = {
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      return decoder
    }
  }

  private let stage = Stage(configured: Self.snakeCase) { _ in
    .response(fields: ["Content-Type": "application/json"], body: #"{"note_title":"Milk"}"#)
  }
  private let url = "http://a.test/notes"
  private let note = Note(noteTitle: "Milk")

  private var bodies: [String] { stage.stub.requests.map(\.text) }

  @Test func `a JSON body is encoded by the client's encoder, and a response decoded by its decoder`()
    async throws
  {
    let decoded = try await stage.client.send(.post(url, json: note)).decode(Note.self)
    #expect(bodies == [#"{"note_title":"Milk"}"#])
    #expect(stage.stub.requests[0].fields["Content-Type"] == "application/json")
    #expect(decoded == note)
    _ = try await stage.client.start(.put(url, .json(note))).value
    _ = try await stage.client.stream(.patch(url, json: note))
    #expect(Set(bodies) == [#"{"note_title":"Milk"}"#])
  }

  @Test func `a call's own coders take precedence over the client's`() async throws {
    let response = try await stage.client.send(.post(url, .json(note, encoder: JSONEncoder())))
    #expect(bodies == [#"{"noteTitle":"Milk"}"#])
    #expect(throws: RequestError.self) { try response.decode(Note.self, decoder: JSONDecoder()) }
    try await stage.client.send(.post(url, .json(Draft(), encoder: JSONEncoder())))
    #expect(bodies.last == #"{"noteTitle":"Milk"}"#)
  }

  @Test func `a client without custom coders uses Foundation's defaults`() async throws {
    let stage = Stage { _ in .response(body: #"{"noteTitle":"Milk"}"#) }
    let response = try await stage.client.send(.post(url, json: note))
    #expect(stage.stub.requests.map(\.text) == [#"{"noteTitle":"Milk"}"#])
    #expect(try response.decode(Note.self) == note)
  }

  @Test func `shared, cached and intercepted responses are decoded by the client's decoder`() async throws {
    struct Answers: Interceptor {
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        let response = try await next(request)
        _ = try response.decode(Note.self)
        return request.path == "/own"
          ? Response(status: 200, data: response.data, url: response.url) : response
      }
    }
    let stage = Stage(
      configured: {
        Self.snakeCase(&$0)
        $0.interceptors = [Answers()]
      }, { _ in .response(body: #"{"note_title":"Milk"}"#) })
    for request: Request in [
      .get(url).shared(), .get(url).cached(as: "note"), .get(url).cached(as: "note"),
      .get("http://a.test/own"),
    ] {
      #expect(try await stage.client.send(request).decode(Note.self) == note)
    }
    let cached = try await stage.client.cachedResponse(to: .get(url).cached(as: "note"))
    #expect(try cached?.decode(Note.self) == note)
  }

  @Test func `a body that cannot be encoded fails when it is sent, by the encoder that applies`() async throws
  {
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(.post(url, json: Double.nan))
    }
    #expect(error?.code == .invalidRequest)
    #expect(error?.message.contains("cannot be encoded") == true)
    let lenient = Stage(
      configured: {
        $0.jsonEncoder = {
          let encoder = JSONEncoder()
          encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
          return encoder
        }
      }, { _ in .response() })
    try await lenient.client.send(.post(url, json: [Double.nan]))
    #expect(lenient.stub.requests.map(\.text) == [#"["nan"]"#])
  }

  @Test
  func `an interceptor's JSON body is encoded by the client's encoder before the next interceptor sees it`()
    async throws
  {
    final class Replaces: Interceptor {
      let seen = Locked<[String]>([])

      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        seen.withLock { $0.append(request.body.description) }
        return try await next(request.body(.json(Note(noteTitle: "Eggs"))))
      }
    }
    let replaces = Replaces()
    let stage = Stage(
      configured: {
        Self.snakeCase(&$0)
        $0.attemptInterceptors = [replaces]
      }, { _ in .response() })
    try await stage.client.send(.post(url, json: note))
    #expect(replaces.seen.withLock { $0 } == ["21 bytes"])
    #expect(stage.stub.requests.map(\.text) == [#"{"note_title":"Eggs"}"#])
  }

  @Test func `JSON bodies are equal if their encoded values are equal`() {
    #expect(RequestBody.json(note) == RequestBody.json(Note(noteTitle: "Milk")))
    #expect(RequestBody.json(note) != RequestBody.json(Note(noteTitle: "Eggs")))
    #expect(Set([RequestBody.json(["b": 1, "a": 2]), RequestBody.json(["a": 2, "b": 1])]).count == 1)
    #expect(RequestBody.json(note) != RequestBody.json(note, encoder: JSONEncoder()))
    let nan = RequestBody.json(Double.nan)
    #expect(nan == nan)
    #expect(RequestBody.json(Double.nan) != nan)
  }

  @Test func `a request that is sent twice has the same bytes, whatever the order of its dictionary keys`()
    async throws
  {
    let request = Request.post(
      url, json: Dictionary(uniqueKeysWithValues: (0..<50).map { ("key \($0)", $0) }))
    for _ in 0..<10 { try await stage.client.send(request) }
    #expect(Set(bodies).count == 1)
    try await stage.client.send(request.ignoringRepeats())
    await #expect(throws: RequestError.self) { try await stage.client.send(request.ignoringRepeats()) }
    let other = Stage { _ in .response() }
    for _ in 0..<10 { try await other.client.send(request) }
    #expect(Set(other.stub.requests.map(\.text)).count == 1)
  }

  @Test func `repeats are recognized by the encoded body`() async throws {
    try await stage.client.send(.post(url, json: note).ignoringRepeats())
    await #expect(throws: RequestError.self) {
      try await stage.client.send(.post(url, json: note).ignoringRepeats())
    }
    try await stage.client.send(.post(url, json: Note(noteTitle: "Eggs")).ignoringRepeats())
    #expect(bodies.count == 2)
  }

  private final class Counter: Encodable, Sendable {
    let count = Locked(0)

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(count.withLock { $0 })
    }
  }

  @Test func `a JSON body is encoded once for each send, and its attempts send the same bytes`() async throws
  {
    let counter = Counter()
    let stage = Stage { _ in
      let number = counter.count.withLock {
        $0 += 1
        return $0
      }
      return .response(status: number % 2 == 1 ? 503 : 200)
    }
    let request = Request.put(url, json: counter).attemptsAtOnce(2)
    for _ in 0..<2 { try await stage.client.send(request) }
    _ = try await stage.client.start(request).value
    #expect(stage.stub.requests.map(\.text) == ["0", "0", "2", "2", "4", "4"])
  }

  @Test func `the client's encoder is created for each send`() async throws {
    let isSnakeCase = Locked(false)
    let stage = Stage.configured {
      $0.jsonEncoder = {
        let encoder = JSONEncoder()
        if isSnakeCase.withLock({ $0 }) { encoder.keyEncodingStrategy = .convertToSnakeCase }
        return encoder
      }
    }.responding { _ in .response() }
    let request = Request.post(url, json: note)
    try await stage.client.send(request)
    isSnakeCase.withLock { $0 = true }
    try await stage.client.send(request)
    #expect(stage.stub.requests.map(\.text) == [#"{"noteTitle":"Milk"}"#, #"{"note_title":"Milk"}"#])
  }

  private struct Everything: Encodable, Sendable {
    var someDate = Date(timeIntervalSince1970: 1)
    var someData = Data([1, 2])
    var someNumber = Double.nan
    var someSlash = "a/b"

    enum CodingKeys: CodingKey { case someDate, someData, someNumber, someSlash, userInfo }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(someDate, forKey: .someDate)
      try container.encode(someData, forKey: .someData)
      try container.encode(someNumber, forKey: .someNumber)
      try container.encode(someSlash, forKey: .someSlash)
      try container.encode(encoder.userInfo.count, forKey: .userInfo)
    }
  }

  @Test func `an encoder keeps its settings except the order of keys, and is not changed`() async throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .secondsSince1970
    encoder.dataEncodingStrategy = .deferredToData
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.userInfo = [try #require(CodingUserInfoKey(rawValue: "key")): 1]
    let stage = Stage.configured { $0.jsonEncoder = { encoder } }.responding { _ in .response() }
    try await stage.client.send(.post(url, json: Everything()))
    try await stage.client.send(.post(url, .json(Everything(), encoder: encoder)))
    #expect(encoder.outputFormatting == [.prettyPrinted, .withoutEscapingSlashes])
    encoder.outputFormatting.insert(.sortedKeys)
    let text = String(decoding: try encoder.encode(Everything()), as: UTF8.self)
    #expect(text.contains("a/b") && text.contains("nan") && text.contains("some_date"))
    #expect(stage.stub.requests.map(\.text) == [text, text])
  }

  private final class Fixed: JSONEncoder, @unchecked Sendable {
    override func encode<T: Encodable>(_ value: T) throws -> Data { Data("fixed".utf8) }
  }

  @Test func `an encoder of a subclass is used without changes`() async throws {
    let stage = Stage.configured { $0.jsonEncoder = { Fixed() } }.responding { _ in .response() }
    try await stage.client.send(.post(url, json: note))
    #expect(stage.stub.requests.map(\.text) == ["fixed"])
  }
}
