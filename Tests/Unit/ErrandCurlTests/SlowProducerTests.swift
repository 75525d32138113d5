import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import Testing

@Suite struct SlowProducerTests {
  @Test func `a body producer that is slower than the time-out causes no time-out`() async throws {
    let server = try MockServer()
    server.on("POST", "/") { _ in .response(body: "got it") }
    let (chunks, source) = AsyncStream.makeStream(of: Data.self)
    let request = Request.post(server.url("/"), .stream(chunks)).timeout(.milliseconds(200))
    async let response = Client(transport: CurlTransport()).send(request)
    // In real time, because the time-out of a real transfer is the subject.
    for text in ["one ", "two ", "three"] {
      try await Task.sleep(for: .milliseconds(400))
      source.yield(Data(text.utf8))
    }
    source.finish()
    #expect(try await response.text == "got it")
    #expect(server.requests.last?.text == "one two three")
  }
}
