import ErrandCore
import ErrandCurl
import ErrandTesting
import ErrandURLProtocol
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Malicious requests and responses, over real sockets.
@Suite struct HostileTests {
  private let fixture: SessionFixture
  private var server: MockServer { fixture.server }

  init() throws { fixture = try SessionFixture() }

  @Test(arguments: ["a\r\nX-Evil: 1", "a\nX-Evil: 1", "a\r\n\r\nGET /evil HTTP/1.1", "a\u{0}b"])
  func `a line break in a field's value is never sent`(value: String) async throws {
    server.otherwise { _ in .response(body: "fine") }
    let session = fixture.session()
    var request = fixture.request()
    request.setValue(value, forHTTPHeaderField: "X-Value")
    // Foundation on Linux omits such a field from the request; elsewhere it is refused.
    _ = try? await session.data(for: request)
    for request in server.requests {
      #expect(request.fields["X-Value"] == nil && request.fields["X-Evil"] == nil && request.path == "/")
    }
    #expect(server.requests.count <= 1)
  }

  @Test(arguments: ["X Evil", "X:Evil", "X\r\nEvil", ""])
  func `an invalid field name is never sent`(name: String) async throws {
    server.otherwise { _ in .response(body: "fine") }
    let session = fixture.session()
    var request = fixture.request()
    request.setValue("1", forHTTPHeaderField: name)
    let error = await #expect(throws: URLError.self) { try await session.data(for: request) }
    #expect(error?.code == .badURL)
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: ["GET /evil HTTP/1.1\r\nX: ", "G T", "PO\nST"])
  func `an invalid method is never sent`(method: String) async throws {
    server.otherwise { _ in .response(body: "fine") }
    let session = fixture.session()
    let request = fixture.request("/", method)
    let error = await #expect(throws: URLError.self) { try await session.data(for: request) }
    #expect(error?.code == .badURL)
    #expect(server.requests.isEmpty)
  }

  @Test func `a redirect loop ends`() async throws {
    server.on("/a") { _ in .redirect(302, to: "/b") }
    server.on("/b") { _ in .redirect(302, to: "/a") }
    let session = fixture.session()
    let error = await #expect(throws: URLError.self) { try await session.data(for: fixture.request("/a")) }
    #expect(error?.code == .httpTooManyRedirects)
    #expect(server.requests.count < 30)
  }

  @Test func `a body that exceeds the client's limit ends the transfer`() async throws {
    server.on("/") { _ in .response(body: Data(count: 20_000_000)) }
    let session = fixture.session()
    let request = fixture.request().errand { $0.memoryLimit(100_000).attempts(1) }
    let error = await #expect(throws: URLError.self) { try await session.data(for: request) }
    #expect(error?.code == .dataLengthExceedsMaximum)
    try await server.waitUntilClosed(connection: 1)
    let sent = server.connections[0].bytesSent
    #expect(sent < 20_000_000)
  }

  @Test func `a server cannot pretend that a request was stored, or how long it took`() async throws {
    server.on("/") { _ in
      .response(fields: ["errand-OUTBOX-id": "evil", "errand-timing": "total;dur=0", "X-A": "1"])
    }
    let (_, response) = try await fixture.session().text(fixture.request())
    #expect(response.errandOutboxID == nil)
    #expect(response.errandTiming?.contains("attempts") == true)
    #expect(response.value(forHTTPHeaderField: "X-A") == "1")
  }

  #if canImport(FoundationNetworking)
    @Test func `forged additions are refused, and not sent`() async throws {
      server.on("/") { _ in .response(body: "fine") }
      let session = fixture.session()
      for value in ["999999999", "-1", "no number", ""] {
        var request = fixture.request()
        request.setValue(value, forHTTPHeaderField: "Errand-Additions")
        let error = await #expect(throws: URLError.self) { try await session.data(for: request) }
        #expect(error?.code == .resourceUnavailable)
      }
      #expect(server.requests.isEmpty)
    }
  #endif

  /// More bodies than the machine has cores, none of which arrives.
  @Test func `bodies whose writers wait do not block other requests`() async throws {
    server.otherwise { .response(body: $0.body) }
    let session = fixture.session()
    let writers = (0..<8).map { _ in SlowWriter() }
    let tasks = writers.enumerated().map { number, writer in
      var request = fixture.request("/slow", "POST")
      request.httpBodyStream = SlowStream(Data("body \(number)".utf8), writer)
      return Task { [request] in try await session.text(request).0 }
    }
    for _ in 0..<3 { _ = try await session.text(fixture.request("/quick")) }
    #expect(server.count("/quick") == 3 && server.count("/slow") == 0)
    for writer in writers { writer.goOn() }
    for (number, task) in tasks.enumerated() { #expect(try await task.value == "body \(number)") }
  }

  @Test func `a truncated body is an error, and not a shorter body`() async throws {
    server.on("/") { _ in .response(body: Data(count: 1000)).closing(at: .body(500)) }
    let session = fixture.session()
    let error = await #expect(throws: URLError.self) {
      try await session.data(for: fixture.request().errand { $0.attempts(1) })
    }
    #expect(error?.code == .networkConnectionLost)
  }
}
