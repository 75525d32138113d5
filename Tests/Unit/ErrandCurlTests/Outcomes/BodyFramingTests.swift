import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCurl

/// A response whose end is uncertain is refused, because a part could pass for the whole.
@Suite(.timeLimit(.minutes(1))) struct BodyFramingTests {
  private func framing(_ lines: String...) -> BodyFraming { framing(lines) }

  private func framing(_ lines: [String]) -> BodyFraming {
    let head = (["HTTP/1.1 200 OK"] + lines).map { $0 + "\r\n" }.joined()
    return Array(head.utf8).withUnsafeBytes { BodyFraming(head: $0) }
  }

  @Test func `a body ends after its length, with its last chunk, or with the connection`() {
    #expect(framing("Content-Length: 5").bytes == 5)
    #expect(framing("content-length:5 ", "Content-Length: 5, 5").bytes == 5)
    #expect(framing("Transfer-Encoding: chunked").isChunked)
    #expect(framing("transfer-encoding:\tChunked ").isChunked)
    // The coding takes precedence (RFC 9112, section 6.3).
    #expect(framing("Content-Length: 5", "Transfer-Encoding: chunked").bytes == nil)
    for framing in [framing(), framing("X: 1"), framing("Content-Length: 5")] {
      #expect(framing.problem(mayHaveBody: true) == nil)
      #expect(!framing.isChunked)
    }
  }

  @Test(arguments: [
    ["Content-Length : 5"], ["Content-Length\t: 5"], ["Transfer-Encoding : chunked"], [": 5"], ["X Y: 1"],
    ["X(: 1"], ["X\u{0}: 1"], ["no colon"], ["Ünicode: 1"], ["X: a\u{0}b"], ["X: a\rb"],
    ["Content-Length:", " 5"], ["Transfer-Encoding:", "\tchunked"], ["Transfer-Encoding: chunked", " "],
  ])
  func `an invalid head is refused, with or without a body`(lines: [String]) {
    let framing = framing(lines)
    #expect(framing.problem(mayHaveBody: true) != nil)
    #expect(framing.problem(mayHaveBody: false) != nil)
  }

  @Test(arguments: [
    ["Transfer-Encoding: identity"], ["Transfer-Encoding: gzip, chunked"],
    ["Transfer-Encoding: chunked, chunked"],
    ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], ["Transfer-Encoding: xchunked"],
    ["Transfer-Encoding:"], ["Content-Length: 5", "Content-Length: 6"], ["Content-Length: 5x"],
  ])
  func `an invalid coding or length is refused where there may be a body`(
    lines: [String]
  ) {
    let framing = framing(lines)
    #expect(framing.problem(mayHaveBody: true) != nil)
    #expect(framing.problem(mayHaveBody: false) == nil)
  }

  @Test func `a head may have bare line feeds, or only its status line`() {
    func framing(_ head: String) -> BodyFraming { Array(head.utf8).withUnsafeBytes { BodyFraming(head: $0) } }
    #expect(framing("HTTP/1.1 200 OK\nContent-Length: 5\n").bytes == 5)
    for head in ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\n", "HTTP/1.1 200 OK", ""] {
      #expect(framing(head).problem(mayHaveBody: true) == nil && framing(head).bytes == nil)
    }
    #expect(framing("HTTP/1.1 200 OK\r\nX: 1\r\r\n").problem(mayHaveBody: false) != nil)
  }

  @Test func `a folded line of another field is accepted`() {
    #expect(framing("X: a", " b", "Content-Length: 5").problem(mayHaveBody: true) == nil)
  }

  // MARK: Over sockets

  /// Sends the head and the body, then closes the connection. Returns the response's error.
  private func error(_ head: String, _ body: String, stream: Bool = false) async throws -> RequestError? {
    let server = try MockServer()
    server.on("/") { _ in .raw(Data((head + "\r\n" + body).utf8)).closing(at: .end) }
    let client = Client(transport: CurlTransport())
    let request = Request.get(server.url("/")).bestEffort()
    return await #expect(throws: RequestError.self) {
      if stream {
        for try await _ in try await client.stream(request).chunks {}
      } else {
        _ = try await client.send(request)
      }
    }
  }

  @Test(arguments: [
    "Content-Length : 100\r\n", "Transfer-Encoding : chunked\r\n", "Transfer-Encoding: identity\r\n",
  ])
  func `a body whose end libcurl cannot detect is not delivered`(field: String) async throws {
    for stream in [false, true] {
      let error = try await error("HTTP/1.1 200 OK\r\n\(field)", "5\r\nhello\r\n0\r\n\r\n", stream: stream)
      #expect(error?.code == .invalidResponse)
    }
  }

  /// libcurl unfolds lines since version 8, and may believe a status line that says HTTP/2.
  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n chunked", "HTTP/2 200\r\nTransfer-Encoding: chunked",
  ])
  func `the chunks of a folded coding, or after a status line of HTTP/2, are never treated as content`(
    head: String
  ) async throws {
    let server = try MockServer()
    server.on("/") { _ in .raw(Data("\(head)\r\n\r\n5\r\nhello\r\n0\r\n\r\n".utf8)).closing(at: .end) }
    do {
      let response = try await Client(transport: CurlTransport()).send(.get(server.url("/")).bestEffort())
      #expect(response.text == "hello")
    } catch let error as RequestError {
      #expect(error.code == .invalidResponse)
    }
  }

  @Test func `a part that was not requested is not accepted as the whole`() async throws {
    let server = try MockServer()
    server.on("/none") { _ in .response(status: 206, body: "hello") }
    server.on("/pages") { _ in
      .response(status: 206, fields: ["Content-Range": "items 0-1/2"], body: "hello")
    }
    let client = Client(transport: CurlTransport())
    let error = await #expect(throws: RequestError.self) { try await client.send(.get(server.url("/none"))) }
    #expect(error?.code == .invalidResponse)
    #expect(try await client.send(.get(server.url("/pages"))).text == "hello")
  }

  @Test func `a 417 to a stream, which cannot be sent again, is the response`() async throws {
    let server = try MockServer()
    server.on("PUT", "/", at: .head) { _ in .response(status: 417, body: "no!") }
    let body = AsyncStream<Data> { source in
      source.yield(Data(count: 100_000))
      source.finish()
    }
    let error = await #expect(throws: RequestError.self) {
      try await Client(transport: CurlTransport()).send(
        .put(server.url("/"), .stream(body)).field("Expect", "100-continue").bestEffort())
    }
    #expect(error?.status == 417)
  }

  @Test func `chunks take precedence over a Content-Length`() async throws {
    let server = try MockServer()
    server.on("/") { _ in
      .raw(
        Data(
          "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
            .utf8))
    }
    let response = try await Client(transport: CurlTransport()).send(.post(server.url("/"), .text("x")))
    #expect(response.text == "hello")
  }

  @Test func `a truncated body is a lost connection, for each sink`() async throws {
    for stream in [false, true] {
      let error = try await error("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n", "hello", stream: stream)
      #expect(error?.code == .connectionLost)
    }
  }

  @Test(arguments: ["zz\r\nhello\r\n0\r\n\r\n", "5\r\nhelloX\r\n0\r\n\r\n", "fffffffffffffffffff\r\nhello"])
  func `malformed chunks are an invalid response, not a lost connection`(body: String) async throws {
    let error = try await error("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n", body)
    #expect(error?.code == .invalidResponse)
    #expect(error?.message.contains("chunk") == true)
  }

  @Test func `bytes of a value that are not UTF-8 are read as Latin-1`() async throws {
    let server = try MockServer()
    let head =
      Data("HTTP/1.1 200 OK\r\nX-Name: J".utf8) + [0xFC]
      + Data("rgen\r\nX-Utf8: Jürgen\r\nSet-Cookie: a=".utf8) + [0xFC]
      + Data("\r\nContent-Length: 0\r\n\r\n".utf8)
    server.on("/") { _ in .raw(head) }
    let response = try await Client(transport: CurlTransport()).send(.get(server.url("/")))
    #expect(response.fields["X-Name"] == "Jürgen")
    #expect(response.fields["X-Utf8"] == "Jürgen")
    // Otherwise a cookie would be sent back with different bytes.
    #expect(response.fields["Set-Cookie"] == "a=\u{FFFD}")
  }
}
