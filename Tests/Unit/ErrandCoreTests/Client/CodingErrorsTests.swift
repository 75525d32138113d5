import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Errors of encoding and decoding name the type and the place, and quote nothing from the document.
@Suite(.timeLimit(.minutes(1))) struct CodingErrorsTests {
  private struct Refusal: Error { let value: String }

  private struct Login: Encodable, Sendable {
    var password = "hush"

    func encode(to encoder: any Encoder) throws {
      throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "\(self)"))
    }
  }

  private struct Refused: Codable, Sendable {
    var password = "hush"

    init() {}
    init(from decoder: any Decoder) throws {
      throw Refusal(value: try decoder.singleValueContainer().decode(String.self))
    }
    func encode(to encoder: any Encoder) throws { throw Refusal(value: password) }
  }

  private struct Nothing: Encodable, Sendable {
    var password = "hush"

    func encode(to encoder: any Encoder) throws {}
  }

  private struct Amounts: Encodable, Sendable { var amounts = [["hush": Double.nan]] }

  private enum Kind: String, Decodable { case plain }
  private struct Item: Decodable { let id: Int }
  private struct Token: Decodable { let token: Kind }
  private struct Lists: Decodable {
    var items: [Item]?
    var names: [String: Int]?
    var numbers: [Int: Int]?
    var date: Date?
    var refused: Refused?
  }

  private func expectNoValue(of error: RequestError, _ location: SourceLocation = #_sourceLocation) {
    var dumped = ""
    dump(error, to: &dumped)
    var texts = ["\(error)", String(reflecting: error), error.message, dumped]
    if let rejection = error.rejection {
      dump(rejection, to: &dumped)
      texts += ["\(rejection)", String(reflecting: rejection), dumped]
    }
    for text in texts {
      #expect(!text.contains("hush") && !text.contains("4711"), "\(text)", sourceLocation: location)
    }
  }

  @Test(arguments: [
    (RequestBody.json(Login()), "an invalid Login at the top"),
    (.json(Nothing()), "an invalid Nothing at the top"),
    (.json(Amounts()), "an invalid Double at amounts.[0].***"),
    (.json(Refused()), "an error of the type Refusal"),
    (.json(Login(), encoder: JSONEncoder()), "an invalid Login at the top"),
  ])
  func `an encoding error quotes no value`(body: RequestBody, problem: String) async throws {
    let stage = Stage()
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(.post("http://a.test/", body))
    }
    #expect(error?.message == "the JSON body cannot be encoded: " + problem)
    expectNoValue(of: try #require(error))
    var dumped = ""
    dump(body.encoded(), to: &dumped)
    #expect(!dumped.contains("hush"))
    #expect(stage.stub.requests.isEmpty)
  }

  private func problem(
    with json: String, of type: (some Decodable).Type, _ location: SourceLocation = #_sourceLocation
  ) async throws -> String {
    let response = try await Stage { _ in .response(body: json) }.client.send(.get("http://a.test/"))
    let error = try #require(
      #expect(throws: RequestError.self, sourceLocation: location) { try response.decode(type) })
    expectNoValue(of: error, location)
    #expect(error.underlying != nil && error.bodyPrefix == Data(json.utf8), sourceLocation: location)
    return String(error.message.trimmingPrefix("the response is not the expected \(type): "))
  }

  @Test(arguments: [
    (#"{"items":[{"id":1},{"id":"hush"}]}"#, "no value of type Int at items.[1].id"),
    (#"{"items":[{"id":1},{"hush":2}]}"#, "no key id at items.[1]"),
    (#"{"items":[{"id":null}]}"#, "null instead of Int at items.[0].id"),
    (#"{"names":{"hush":"x"}}"#, "no value of type Int at names.***"),
    (#"{"numbers":{"4711":"x"}}"#, "no value of type Int at numbers.***"),
    (#"{"date":"hush"}"#, "no value of type Double at date"),
    (#"{"refused":"hush"}"#, "an error of the type Refusal"),
    (#"{"names": hush}"#, "the given data was not valid JSON"),
    ("", "the given data was not valid JSON"),
  ])
  func `a decoding error names the type and the place, and quotes no value`(json: String, problem: String)
    async throws
  {
    #expect(try await self.problem(with: json, of: Lists.self) == problem)
  }

  @Test func `a decoding error does not quote a value for which an enum has no case`() async throws {
    #expect(
      try await problem(with: #"{"token":"hush"}"#, of: Token.self) == "an invalid value at token")
    #expect(try await problem(with: #""hush""#, of: Kind.self) == "an invalid value at the top")
  }

  @Test func `an error from a check or an interceptor quotes no value either`() async throws {
    let stage = Stage { _ in .response(body: #"{"token":"hush"}"#) }
    let request = Request.get("http://a.test/")
      .validate { _ = try JSONDecoder().decode(Token.self, from: $0.data) }
    let refused = await #expect(throws: RequestError.self) { try await stage.client.send(request) }
    expectNoValue(of: try #require(refused))
    #expect(refused?.message.contains("an invalid value at token") == true)

    struct Throws: Interceptor {
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        _ = try JSONDecoder().decode(Token.self, from: try await next(request).data)
        throw CancellationError()
      }
    }
    let other = Stage.configured { $0.interceptors = [Throws()] }.responding { _ in
      .response(body: #"{"token":"hush"}"#)
    }
    let call = other.client.start(.get("http://a.test/"))
    let after = await other.client.start(.get("http://a.test/").after(call)).result.requestError
    expectNoValue(of: try #require(after))
    #expect(after?.message.contains("an invalid value at token") == true)
  }
}
