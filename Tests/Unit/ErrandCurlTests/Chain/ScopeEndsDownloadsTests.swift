import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct ScopeEndsDownloadsTests {
  private let server: MockServer
  private let client = Client(transport: CurlTransport())
  private let scope = RequestScope("page")
  private let folder: TemporaryFolder
  private let content = Data.seeded(200_000)

  init() throws {
    server = try MockServer()
    folder = try TemporaryFolder()
    server.on("/") { [content] request in
      let response = MockResponse.file(content, etag: "\"v1\"", for: request)
      return request.index == 0 ? response.stalling(at: .body(100_000)) : response
    }
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
  }

  /// Ends the scope when the first half has arrived, and returns how the download ended.
  private func endInTheMiddle(_ file: URL, resume: Bool) async throws -> RequestError? {
    let (halves, half) = AsyncStream.makeStream(of: Void.self)
    let task = Task { [client, server, scope] in
      try await client.download(.get(server.url("/")), to: file, resume: resume, in: scope) { progress in
        if progress.received == 100_000 { half.finish() }
      }
    }
    for await _ in halves {}
    scope.end()
    let error = await #expect(throws: RequestError.self) { try await task.value }
    try await server.waitUntilClosed(connection: 1)
    return error
  }

  @Test func `a cancelled download leaves nothing behind, and does not change the file`() async throws {
    let file = folder.url.appending(path: "film")
    try Data("old".utf8).write(to: file)
    let error = try await endInTheMiddle(file, resume: false)
    #expect(error?.cancellation == .scopeEnded("page"))
    #expect(try names() == ["film"])
    #expect(try Data(contentsOf: file) == Data("old".utf8))
  }

  @Test func `a resumable download leaves its part, and the next one requests the rest`()
    async throws
  {
    let file = folder.url.appending(path: "film")
    let error = try await endInTheMiddle(file, resume: true)
    #expect(error?.cancellation == .scopeEnded("page"))
    #expect(try names() == [".film.errand-part", ".film.errand-part.json"])
    try await client.download(.get(server.url("/")), to: file, resume: true)
    #expect(server.requests.last?.fields["Range"] == "bytes=100000-")
    #expect(try Data(contentsOf: file) == content)
    #expect(try names() == ["film"])
  }
}
