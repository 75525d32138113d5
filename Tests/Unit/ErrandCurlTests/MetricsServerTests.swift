import ErrandCore
import ErrandCurl
import ErrandObservability
import ErrandTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct MetricsServerTests {
  private struct Failing: MetricsSource {
    struct Lost: Error {}
    func prometheusMetrics() async throws -> String { throw Lost() }
  }

  private let client: Client = {
    var configuration = ClientConfiguration()
    configuration.collectsMetrics = true
    return Client(transport: CurlTransport(), configuration: configuration)
  }()

  @Test func `metrics are served to this machine`() async throws {
    let server = try Metrics.serve(port: 0, client)
    let response = try await client.send(.get(server.url))
    #expect(response.fields["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
    #expect(response.text.contains("errand_calls_in_flight 1\n"))
    #expect(response.text.hasSuffix("\n"))
  }

  @Test func `a port is free when its server has stopped`() throws {
    var server = try Metrics.serve(port: 0, client)
    let port = try #require(server.url.port)
    for _ in 0..<50 {
      server.stop()
      server = try Metrics.serve(port: port, client)
    }
  }

  @Test func `other paths, methods and names are refused`() async throws {
    let server = try Metrics.serve(port: 0, client)
    let send = { @Sendable (request: Request) async throws in
      try await client.send(request.acceptingAnyStatus()).status.code
    }
    #expect(try await send(.get(server.url.deletingLastPathComponent())) == 404)
    #expect(try await send(.post(server.url)) == 405)
    for host in ["evil.test", "localhost.evil.test", "127.0.0.1.evil.test:80", "[::2]"] {
      #expect(try await send(.get(server.url).field("Host", host)) == 403, "\(host)")
    }
    for host in ["LOCALHOST", "localhost:1", "[::1]", "[::1]:9464"] {
      #expect(try await send(.get(server.url).field("Host", host)) == 200, "\(host)")
    }
    #expect(try await send(.get("\(server.url)?name=x")) == 200)
    let open = try Metrics.serve(port: 0, onAllAddresses: true, client)
    #expect(try await send(.get(open.url).field("Host", "metrics.test")) == 200)
  }

  @Test func `metrics are served over IPv6 as well, and to HEAD without a body`() async throws {
    let server = try Metrics.serve(port: 0, client)
    let url = "http://[::1]:\(try #require(server.url.port))/metrics"
    let response = try await client.send(.get(url))
    #expect(response.text.contains("errand_calls_in_flight 1\n"))
    for _ in 0..<2 {
      let head = try await client.send(.head(url))
      #expect(head.status == 200)
      #expect(head.data.isEmpty)
      #expect(Int(head.fields["Content-Length"] ?? "") ?? 0 > 100)
    }
  }

  @Test func `a server that is released stops`() async throws {
    var server: MetricsServer? = try Metrics.serve(port: 0, client)
    let url = try #require(server?.url)
    server = nil
    while (try? await client.send(.get(url).bestEffort())) != nil {}
    #expect(!Task.isCancelled, "the server still responds")
  }

  @Test func `a source that fails makes the target fail`() async throws {
    let server = try Metrics.serve(port: 0, client, Failing())
    #expect(try await client.send(.get(server.url).attempts(1).acceptingAnyStatus()).status.code == 500)
  }

  @Test func `a port in use is an error that names it`() async throws {
    let server = try Metrics.serve(port: 0, client)
    let port = try #require(server.url.port)
    let failure = #expect(throws: MetricsServer.Failure.self) { try Metrics.serve(port: port, client) }
    #expect(failure?.description.contains("\(port)") == true)
    server.stop()
  }
}
