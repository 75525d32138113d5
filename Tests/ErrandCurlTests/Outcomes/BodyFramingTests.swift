import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCurl

/// A response whose end is not known for certain is refused: a part would pass for the whole.
@Suite(.timeLimit(.minutes(1))) struct BodyFramingTests {
  private func framing(_ lines: String...) -> BodyFraming {
    var framing = BodyFraming()
    for line in lines { Array((line + "\r\n").utf8).withUnsafeBytes { framing.take(line: $0) } }
    return framing
  }

  @Test func `a body ends after its length, with its last chunk, or with the connection`() {
    #expect(framing("Content-Length: 5").bytes == 5)
    #expect(framing("content-length:5 ", "Content-Length: 5, 5").bytes == 5)
    #expect(framing("Transfer-Encoding: chunked").isChunked)
    #expect(framing("transfer-encoding:\tChunked ").isChunked)
    // The coding counts (RFC 9112, section 6.3).
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
  func `a head that is not one is refused, whether there is a body or not`(lines: [String]) {
    var framing = BodyFraming()
    for line in lines { Array((line + "\r\n").utf8).withUnsafeBytes { framing.take(line: $0) } }
    #expect(framing.problem(mayHaveBody: true) != nil)
    #expect(framing.problem(mayHaveBody: false) != nil)
  }

  @Test(arguments: [
    ["Transfer-Encoding: identity"], ["Transfer-Encoding: gzip, chunked"],
    ["Transfer-Encoding: chunked, chunked"],
    ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], ["Transfer-Encoding: xchunked"],
    ["Transfer-Encoding:"], ["Content-Length: 5", "Content-Length: 6"], ["Content-Length: 5x"],
  ])
  func `a coding that is not chunked, or a length that is not one, is refused where there may be a body`(
    lines: [String]
  ) {
    var framing = BodyFraming()
    for line in lines { Array((line + "\r\n").utf8).withUnsafeBytes { framing.take(line: $0) } }
    #expect(framing.problem(mayHaveBody: true) != nil)
    #expect(framing.problem(mayHaveBody: false) == nil)
  }

  @Test func `a folded line of another field is allowed`() {
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
  func `a body whose end is hidden from libcurl is not delivered`(field: String) async throws {
    for stream in [false, true] {
      let error = try await error("HTTP/1.1 200 OK\r\n\(field)", "5\r\nhello\r\n0\r\n\r\n", stream: stream)
      #expect(error?.code == .invalidResponse)
    }
  }

  @Test func `the chunks of a folded coding are never content`() async throws {
    let server = try MockServer()
    server.on("/") { _ in
      .raw(Data("HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n".utf8))
        .closing(at: .end)
    }
    // libcurl unfolds since version 8.
    do {
      let response = try await Client(transport: CurlTransport()).send(.get(server.url("/")).bestEffort())
      #expect(response.text == "hello")
    } catch let error as RequestError {
      #expect(error.code == .invalidResponse)
    }
  }

  @Test func `a body that is cut is a lost connection, for each sink`() async throws {
    for stream in [false, true] {
      let error = try await error("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n", "hello", stream: stream)
      #expect(error?.code == .connectionLost)
    }
  }

  @Test(arguments: ["zz\r\nhello\r\n0\r\n\r\n", "5\r\nhelloX\r\n0\r\n\r\n", "fffffffffffffffffff\r\nhello"])
  func `chunks that are not ones are no lost connection`(body: String) async throws {
    let error = try await error("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n", body)
    #expect(error?.code == .invalidResponse)
    #expect(error?.message.contains("chunk") == true)
  }

  @Test func `bytes that are not UTF-8 in a value are Latin-1`() async throws {
    let server = try MockServer()
    let head =
      Data("HTTP/1.1 200 OK\r\nX-Name: J".utf8) + [0xFC]
      + Data("rgen\r\nX-Utf8: Jürgen\r\nContent-Length: 0\r\n\r\n".utf8)
    server.on("/") { _ in .raw(head) }
    let response = try await Client(transport: CurlTransport()).send(.get(server.url("/")))
    #expect(response.fields["X-Name"] == "Jürgen")
    #expect(response.fields["X-Utf8"] == "Jürgen")
  }
}
