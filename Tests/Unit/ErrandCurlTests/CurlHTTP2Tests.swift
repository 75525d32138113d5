import ErrandCore
import ErrandCurl
import Foundation
import Testing

@Suite("HTTP/2 on the libcurl transport", .speaksHTTP2, .timeLimit(.minutes(1)))
struct CurlHTTP2Tests {
  @Test("a cancellation resets the stream, or closes the connection if no other request uses it")
  func resetOnCancel() async throws {
    let server = try await Nghttpd(files: ["small": 1000], tls: true)
    try await server.wait(for: "listen")
    var configuration = CurlConfiguration()
    configuration.certificateAuthorityFile = server.authority
    let client = Client(transport: CurlTransport(configuration: configuration))
    let base = "https://127.0.0.1:\(server.port)"
    let first = try await client.send(.get("\(base)/small"))
    #expect(first.timing.httpVersion == .http2)

    // A body without an end: neither side has anything to send when the request is cancelled.
    let (chunks, source) = AsyncStream<Data>.makeStream()
    defer { source.finish() }
    source.yield(Data(count: 100))
    let waiting = Task { try await client.send(.post("\(base)/small", .stream(chunks))) }
    try await server.wait(for: "recv DATA frame")
    waiting.cancel()
    let error = await #expect(throws: RequestError.self) { try await waiting.value }
    #expect(error?.isCancellation == true)
    try await server.wait(for: "recv RST_STREAM frame", or: "] closed")

    let last = try await client.send(.get("\(base)/small"))
    #expect(last.data.count == 1000)
  }

  @Test("full streams that are released do not affect the other streams of their connection")
  func fullStreams() async throws {
    let server = try await Nghttpd(files: ["long": 14_000_000, "whole": 4_000_000], tls: true)
    try await server.wait(for: "listen")
    var configuration = CurlConfiguration()
    configuration.certificateAuthorityFile = server.authority
    let client = Client(transport: CurlTransport(configuration: configuration))
    client.limits = .unlimited
    let base = "https://127.0.0.1:\(server.port)"
    try await withThrowingTaskGroup { group in
      for _ in 0..<2 {
        group.addTask {
          for _ in 0..<15 {
            let response = try await client.send(.get("\(base)/whole").attempts(1))
            #expect(response.data.count == 4_000_000)
          }
        }
        group.addTask {
          for _ in 0..<15 {
            var count = 0
            for try await chunk in try await client.stream(.get("\(base)/long")).chunks {
              count += chunk.count
              guard count > 1 << 20 else { continue }
              // The server fills the stream's window meanwhile, which no event reports.
              try await Task.sleep(for: .milliseconds(20))
              break
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("HTTP/2 is used without TLS if configured, for more than one request")
  func priorKnowledge() async throws {
    let server = try await Nghttpd(files: ["small": 1000], tls: false)
    try await server.wait(for: "listen")
    let client = Client(transport: CurlTransport())
    for _ in 0..<3 {
      let response = try await client.send(
        .get("http://127.0.0.1:\(server.port)/small").httpVersion(.http2).bestEffort())
      #expect(response.timing.httpVersion == .http2)
      #expect(response.data.count == 1000)
    }
  }
}
