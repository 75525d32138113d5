import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import Testing

/// The server's explanation of a refusal is in the error's description.
@Suite(.timeLimit(.minutes(1))) struct RefusalWordsTests {
  private func refusal(_ response: MockResponse) async throws -> RequestError {
    let server = try MockServer()
    server.on("GET", "/") { _ in response }
    var configuration = ClientConfiguration()
    configuration.retry = .never
    configuration.secrets = Secrets(queryItems: ["door"])
    let client = Client(transport: CurlTransport(), configuration: configuration)
    return try #require(
      await #expect(throws: RequestError.self) { try await client.send(.get(server.url("/"))) })
  }

  @Test func `a refusal quotes the explanation of the server, on one line, without secrets of the client`()
    async throws
  {
    let error = try await refusal(
      .response(
        status: 409, fields: ["Content-Type": "application/problem+json"],
        body: #"{"title":"Conflict","detail":"the door=S3CRET is\n\u001b[31mtaken"}"#))
    #expect(error.serverWords == #"the door=*** is \u{1b}[31mtaken"#)
    #expect(error.description.hasSuffix(#"was expected; it says: the door=*** is \u{1b}[31mtaken"#))
    #expect(!error.message.contains("taken"))
  }

  @Test func `a refusal that is compressed and chunked quotes the first words`() async throws {
    let text = String(repeating: "sorry ", count: 20_000)
    let error = try await refusal(.chunked(status: 500, text))
    #expect(error.serverWords?.hasPrefix("sorry sorry") == true && error.serverWords?.count == 201)
  }

  @Test func `a refusal whose body is not text quotes nothing`() async throws {
    let image = Data([0x89, 0x50, 0x4E, 0x47, 0, 1, 2, 3])
    let error = try await refusal(.response(status: 404, fields: ["Content-Type": "image/png"], body: image))
    #expect(error.serverWords == nil && error.description.hasSuffix("was expected"))
  }
}
