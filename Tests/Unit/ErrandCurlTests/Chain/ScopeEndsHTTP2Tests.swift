import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import Testing

/// With HTTP/2 a scope's requests share their connection with others, which its end must not affect.
@Suite(.speaksHTTP2, .timeLimit(.minutes(1))) struct ScopeEndsHTTP2Tests {
  private let scope = RequestScope("page")

  private func client(_ authority: String?) -> Client {
    var curl = CurlConfiguration()
    curl.certificateAuthorityFile = authority
    let client = Client(transport: CurlTransport(configuration: curl))
    client.limits = .unlimited
    return client
  }

  @Test func `the scope's streams are reset at once, and other streams of the connection continue`()
    async throws
  {
    let server = try MockServer()
    server.otherwise { _ in .stall }
    let nginx = try await Nginx(behind: server.port)
    let client = client(nginx.certificates.authority)
    let first = try await client.send(.get(nginx.url("good")))
    #expect(first.timing.httpVersion == .http2)
    let slow = Request.get(nginx.url("good", "/behind")).timeout(.seconds(50)).bestEffort()
    let others = (0..<2).map { _ in client.start(slow) }
    let ending = (0..<3).map { _ in client.start(slow, in: scope) }
    try await server.waitForRequests(5)
    scope.end()
    for call in ending { #expect(await call.error?.cancellation == .scopeEnded("page")) }
    try await server.waitForOpenConnections(2)
    #expect(others.allSatisfy { $0.outcome == nil })
    let last = try await client.send(.get(nginx.url("good")))
    #expect(last.fields["X-Connection"] == first.fields["X-Connection"])
    for call in others { call.cancel() }
    try await server.waitForOpenConnections(0)
  }

  @Test func `a sending stream is reset, and another stream of the connection gets its response`()
    async throws
  {
    let server = try await Nghttpd(files: ["small": 1000], tls: true)
    try await server.wait(for: "listen")
    let client = client(server.authority)
    let url = "https://127.0.0.1:\(server.port)/small"
    try await client.send(.get(url))
    // Bodies without an end: neither side has anything to send.
    let bodies = (0..<2).map { _ in AsyncStream.makeStream(of: Data.self) }
    for body in bodies { body.continuation.yield(Data(count: 100)) }
    let other = client.start(.post(url, .stream(bodies[0].stream)))
    let ending = client.start(.post(url, .stream(bodies[1].stream)), in: scope)
    for number in [3, 5] {
      try await server.wait(for: "recv DATA frame <length=100, flags=0x00, stream_id=\(number)>")
    }
    scope.end()
    #expect(await ending.error?.cancellation == .scopeEnded("page"))
    try await server.wait(for: "recv RST_STREAM frame")
    bodies[0].continuation.finish()
    #expect(try await other.value.data.count == 1000)
  }
}
