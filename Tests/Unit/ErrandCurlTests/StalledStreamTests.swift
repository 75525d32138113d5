import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct StalledStreamTests {
  /// While the reader pauses, nothing is read from the server, so its silence then does not cause a time-out.
  @Test func `a server that falls silent is noticed, even after the reader has paused`() async throws {
    let server = try MockServer()
    let sent = 8_000_000
    server.on("/") { _ in .response(body: Data(count: sent + 1000)).stalling(at: .body(sent)) }
    let client = Client(transport: CurlTransport())
    let response = try await client.stream(
      .get(server.url("/")).timeout(.milliseconds(300)).bestEffort())
    // A pause in real time, because the time-out of a real transfer is the subject. It lasts for long enough to fill all
    // buffers.
    try await Task.sleep(for: .milliseconds(600))
    var received = 0
    let error = await #expect(throws: RequestError.self) {
      for try await chunk in response.chunks { received += chunk.count }
    }
    #expect(received == sent)
    #expect(error?.code == .timedOut)
  }
}
