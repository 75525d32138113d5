import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import Testing

/// POSTs behind nginx with its default settings, over HTTP/2 where libcurl allows it, else over HTTP/1.1.
@Suite(.timeLimit(.minutes(2))) struct StockNginxTests {
  private func client(_ nginx: StockNginx) -> Client {
    var curl = CurlConfiguration()
    curl.certificateAuthorityFile = nginx.authority
    var configuration = ClientConfiguration()
    configuration.retry = .never
    let client = Client(transport: CurlTransport(configuration: curl), configuration: configuration)
    client.limits = .unlimited
    return client
  }

  /// Sends `count` requests, 16 at a time. Returns the number of each outcome.
  private func outcomes(
    _ count: Int, _ send: @escaping @Sendable (Int) async throws -> String
  ) async -> [String: Int] {
    await withTaskGroup(of: [String: Int].self) { group in
      for first in 0..<16 {
        group.addTask {
          var outcomes: [String: Int] = [:]
          for number in stride(from: first, to: count, by: 16) {
            let outcome: String
            do {
              outcome = try await send(number)
            } catch {
              let error = error as? RequestError
              outcome = (error?.status).map { "\($0.code)" } ?? "\(error?.message ?? "?")"
            }
            outcomes[outcome, default: 0] += 1
          }
          return outcomes
        }
      }
      return await group.reduce(into: [:]) { $0.merge($1) { $0 + $1 } }
    }
  }

  @Test(arguments: [(200, "200 fine"), (401, "401"), (429, "429"), (503, "503"), (302, "200 fine")])
  func `a response that nginx sends without reading the body keeps its status`(status: Int, expected: String)
    async throws
  {
    let nginx = try await StockNginx(before: 9)
    let client = client(nginx)
    for body in [RequestBody.text("small"), .bytes(Data(count: 100_000)), .bytes(Data(count: 1 << 20))] {
      let request = Request.post(nginx.url("/status/\(status)"), body)
      let outcomes = await outcomes(64) { _ in
        let response = try await client.send(request)
        return "\(response.status.code) \(response.text)"
      }
      #expect(outcomes == [expected: 64])
    }
  }

  @Test func `an upload that is too large gets a 413`() async throws {
    let nginx = try await StockNginx(before: 9)
    let client = client(nginx)
    let request = Request.post(nginx.url("/small"), .bytes(Data(count: 8 << 20)))
    let outcomes = await outcomes(64) { _ in try await client.send(request).text }
    #expect(outcomes == ["413": 64])
  }

  @Test(arguments: ["", "keepalive_requests 100;"])
  func `no POST is lost or sent twice if connections end after a number of requests`(settings: String)
    async throws
  {
    let server = try MockServer()
    server.otherwise { .response(body: $0.target) }
    let nginx = try await StockNginx(before: server.port, settings)
    let client = client(nginx)
    let outcomes = await outcomes(1600) { number in
      try await client.send(.post(nginx.url("/\(number)"), .text("body"))).text == "/\(number)"
        ? "own" : "other"
    }
    #expect(outcomes == ["own": 1600])
    #expect(Set(server.requests.map(\.target)).count == 1600)
    #expect(server.requests.count == 1600)
  }

  @Test("no POST over HTTP/2 is lost or sent twice while nginx is reloaded", .speaksHTTP2)
  func reloaded() async throws {
    let server = try MockServer()
    server.otherwise { .response(body: $0.target) }
    let nginx = try await StockNginx(before: server.port, "keepalive_requests 100;")
    let client = client(nginx)
    let outcomes = await outcomes(3200) { number in
      if number % 400 == 399 { nginx.reload() }
      return try await client.send(.post(nginx.url("/\(number)"), .text("body"))).text == "/\(number)"
        ? "own" : "other"
    }
    // nginx may reset a connection after its last response, before the response is read. Only the server knows then.
    let unclear = outcomes[
      "the connection ended without a response, and the server may have the request", default: 0]
    #expect(outcomes["own", default: 0] + unclear == 3200, "\(outcomes)")
    #expect(unclear <= 3)
    #expect(Set(server.requests.map(\.target)).count == 3200)
    #expect(server.requests.count == 3200)
  }
}
