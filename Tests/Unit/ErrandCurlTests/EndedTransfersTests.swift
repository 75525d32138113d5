import ErrandCurl
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCore

/// A transfer that has ended releases everything that it retained, wherever its body went and however it
/// ended.
@Suite(.timeLimit(.minutes(1))) struct EndedTransfersTests {
  private final class Leash: Sendable {}
  private struct Weak: Sendable { weak let leash: Leash? }

  enum Way: CaseIterable {
    case sent, refused, downloaded, downloadCut, streamed, streamCut, streamDropped, streamDroppedInGzip,
      upload
  }

  private let server: MockServer
  private let client = Client(transport: CurlTransport())
  private let folder: TemporaryFolder

  init() throws {
    server = try MockServer()
    folder = try TemporaryFolder()
    server.on("/whole") { _ in .response(body: Data(count: 300_000)) }
    server.on("/cut") { _ in .response(body: Data(count: 300_000)).closing(at: .body(200_000)) }
    server.on("/stalls") { _ in .response(body: Data(count: 300_000)).stalling(at: .body(200_000)) }
    server.on("/gzip") { _ in
      .response(fields: ["Content-Encoding": "gzip"], body: Data([31, 139, 8])).stalling(at: .end)
    }
  }

  private func go(_ way: Way, _ leash: Leash) async throws {
    func get(_ path: String) -> Request {
      .get(server.url(path)).bestEffort().validate { _ in withExtendedLifetime(leash) {} }
    }
    let file = folder.url.appending(path: "file")
    switch way {
    case .sent: _ = try await client.send(get("/whole"))
    case .refused: _ = try? await client.send(get("/nothing"))
    case .downloaded: try await client.download(get("/whole"), to: file)
    case .downloadCut: _ = try? await client.download(get("/cut"), to: file)
    case .streamed: for try await _ in try await client.stream(get("/whole")).chunks {}
    case .streamCut:
      await #expect(throws: RequestError.self) {
        for try await _ in try await client.stream(get("/cut")).chunks {}
      }
    case .streamDropped: _ = try await client.stream(get("/stalls"))
    case .upload: _ = try await client.send(get("/whole").body(.stream(pieces(2))))
    case .streamDroppedInGzip: _ = try await client.stream(get("/gzip"))
    }
  }

  private func pieces(_ count: Int) -> AsyncStream<Data> {
    AsyncStream { pieces in
      for _ in 0..<count { pieces.yield(Data(count: 1000)) }
      pieces.finish()
    }
  }

  private func leash(_ way: Way) async throws -> Weak {
    let leash = Leash()
    try await go(way, leash)
    return Weak(leash: leash)
  }

  @Test(arguments: Way.allCases)
  func `an ended transfer releases everything that it retained`(way: Way) async throws {
    let weak = try await leash(way)
    while weak.leash != nil { await Task.yield() }
  }
}
