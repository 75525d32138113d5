import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import Testing

@Suite struct SlowProducerTests {
  @Test func `a body that comes slower than the time-out is no time-out`() async throws {
    let server = try MockServer()
    server.on("POST", "/") { _ in .answer(body: "got it") }
    let (chunks, source) = AsyncStream.makeStream(of: Data.self)
    let request = Request.post(server.url("/"), .stream(chunks)).timeout(.milliseconds(200))
    async let answer = Client(transport: CurlTransport()).send(request)
    for text in ["one ", "two ", "three"] {
      try await Task.sleep(for: .milliseconds(400))
      source.yield(Data(text.utf8))
    }
    source.finish()
    #expect(try await answer.text == "got it")
    #expect(server.requests.last?.text == "one two three")
  }
}
