import ErrandCore
import ErrandCurl
import Foundation
import TestSupport
import Testing

@testable import ErrandServing

/// A server for pages buffers little for demanding clients, and sends everything that was requested.
@Suite(.timeLimit(.minutes(1))) struct PageServerTests {
  @Test func `a response of any length is sent completely`() async throws {
    let body = Data(repeating: 7, count: 40 << 20)
    let server = try PageServer(port: 0) { _, reply in reply(.whole(status: 200, fields: [:], body: body)) }
    defer { server.stop() }
    var request = Request.get("http://127.0.0.1:\(server.port)/")
    request.options.memoryLimit = 64 << 20
    let response = try await Client(transport: CurlTransport()).send(request)
    #expect(response.data == body)
  }

  @Test func `a client that does not read gets responses only as far as it reads, and loses nothing`()
    async throws
  {
    let body = Data(repeating: 7, count: 20_000)
    let answered = Locked(0)
    let server = try PageServer(port: 0) { request, reply in
      if request.target == "/" { return reply(.whole(status: 200, fields: [:], body: Data())) }
      answered.withLock { $0 += 1 }
      reply(.whole(status: 200, fields: [:], body: body))
    }
    defer { server.stop() }
    let asking = try LoopbackSocket.connected(to: server.port)
    let other = try LoopbackSocket.connected(to: server.port)
    defer { for descriptor in [asking, other] { close(descriptor) } }
    // 40 MB, of which the system buffers at most a quarter.
    let requests = 2000
    let text = Array(String(repeating: "GET /big HTTP/1.1\r\nHost: a\r\n\r\n", count: requests).utf8)
    #expect(write(asking, text, text.count) == text.count)
    var room = [UInt8](repeating: 0, count: 1 << 16)
    // During this response, the server could have responded to all of them.
    let small = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    for _ in 0..<2 * requests {
      #expect(write(other, small, small.count) == small.count)
      try #require(read(other, &room, room.count) > 0)
    }
    #expect(answered.withLock { $0 } < requests / 2)
    let whole = requests * (body.count + "HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n".utf8.count)
    var received = 0
    while received < whole {
      let count = read(asking, &room, room.count)
      try #require(count > 0, "after \(received) bytes")
      received += count
    }
    #expect(answered.withLock { $0 } == requests)
  }

  @Test(
    arguments: [
      "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n",
      "HEAD / HTTP/1.1\r\nHost: a\r\nConnection: TE, Close\r\n\r\n",
    ])
  func `a connection ends after its response if the client expects that`(request: String) throws {
    let server = try PageServer(port: 0) { _, reply in
      reply(.whole(status: 200, fields: [:], body: Data("body".utf8)))
    }
    defer { server.stop() }
    let socket = try LoopbackSocket.connected(to: server.port)
    defer { close(socket) }
    let bytes = Array(request.utf8)
    #expect(write(socket, bytes, bytes.count) == bytes.count)
    var (received, room) = (Data(), [UInt8](repeating: 0, count: 1 << 16))
    // Until the connection ends.
    while case let count = read(socket, &room, room.count), count > 0 { received += room[..<count] }
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\n"
    #expect(String(decoding: received, as: UTF8.self) == head + (request.hasPrefix("HEAD") ? "" : "body"))
  }

  @Test func `a connection ends after a response that says so`() throws {
    let server = try PageServer(port: 0) { _, reply in
      reply(.whole(status: 200, fields: ["Connection": "close"], body: Data("body".utf8)))
    }
    defer { server.stop() }
    let socket = try LoopbackSocket.connected(to: server.port)
    defer { close(socket) }
    let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    #expect(write(socket, bytes, bytes.count) == bytes.count)
    var (received, room) = (Data(), [UInt8](repeating: 0, count: 1 << 16))
    // Until the connection ends.
    while case let count = read(socket, &room, room.count), count > 0 { received += room[..<count] }
    #expect(
      String(decoding: received, as: UTF8.self)
        == "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbody")
  }

  @Test(arguments: ["", "4\r\nbody", "0\r\n"])
  func `an endless line of a chunked body is refused`(before: String) {
    var parser = RequestParser(headLimit: 1000)
    let head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\(before)"
    Array(head.utf8).withUnsafeBytes { parser.append($0) }
    while parser.next() != nil {}
    for _ in 0..<20 {
      Array(repeating: UInt8(ascii: "1"), count: 100).withUnsafeBytes { parser.append($0) }
      if case .malformed = parser.next() { return }
    }
    Issue.record("2000 bytes of a line are buffered")
  }
}
