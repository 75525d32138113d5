import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import Testing

/// Bodies in memory, of the sizes at which another code path passes them on.
@Suite(.timeLimit(.minutes(1))) struct LargeBodiesTests {
  private let server: MockServer
  private let client = Client(transport: CurlTransport())

  init() throws { server = try MockServer() }

  private func body(_ size: Int) -> Data {
    // No part of it repeats.
    Data(
      (0..<size / 4 + 1).flatMap { number in withUnsafeBytes(of: UInt32(number)) { Array($0) } }.prefix(size))
  }

  @Test(
    arguments: [65_535, 65_536, 65_537, 262_144, 262_145, 4 << 20, 4 << 20 + 1, 5_000_000], [true, false])
  func `a body is complete, whether its length is announced or not`(_ size: Int, _ isAnnounced: Bool)
    async throws
  {
    let body = body(size)
    let head =
      isAnnounced
      ? "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n" : "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
    server.on("/") { _ in .raw(Data(head.utf8) + body) }
    let response = try await client.send(.get(server.url("/")).timeout(.seconds(20)))
    #expect(response.data == body)
    var count = 0
    for try await chunk in try await client.stream(.get(server.url("/"))).chunks { count += chunk.count }
    #expect(count == size)
    await client.shutdown()
  }

  @Test func `a truncated large body is an error, and a refused one is not waited for`() async throws {
    server.on("/cut") { _ in
      .raw(Data("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".utf8) + body(500_000)).closing(at: .end)
    }
    let cut = await #expect(throws: RequestError.self) {
      try await client.send(.get(server.url("/cut")).attempts(1))
    }
    #expect(cut?.code == .connectionLost)
    // The rest of it never arrives.
    server.on("/refused") { _ in
      .raw(Data("HTTP/1.1 400 No\r\nContent-Length: 1000000\r\n\r\n".utf8) + body(500_000)).stalling(at: .end)
    }
    let refused = await #expect(throws: RequestError.self) {
      try await client.send(.get(server.url("/refused")).timeout(.seconds(20)))
    }
    #expect(refused?.code == .rejected)
    await client.shutdown()
  }
}
