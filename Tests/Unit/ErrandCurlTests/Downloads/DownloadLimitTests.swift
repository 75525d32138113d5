import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import Programs
import TestSupport
import Testing

@Suite struct DownloadLimitTests {
  private static let old = Data("old".utf8)

  private let server: MockServer
  private let temporary: TemporaryFolder
  private let file: URL
  private let client: Client

  init() throws {
    server = try MockServer()
    temporary = try TemporaryFolder()
    file = temporary.url.appending(path: "file")
    try Self.old.write(to: file)
    var configuration = ClientConfiguration()
    configuration.retry = .attempts(3)
    configuration.retry.backoff = .zero
    client = Client(transport: CurlTransport(), configuration: configuration)
  }

  private func expectTooLarge(_ request: Request, limit: Int64, resume: Bool = false) async throws {
    let error = await #expect(throws: RequestError.self) {
      try await client.download(request, to: file, resume: resume, limit: limit)
    }
    #expect(error?.code == .bodyTooLarge)
    #expect(error?.message.contains("more than the \(limit) bytes") == true)
    #expect(error?.status == 200 || error?.status == 206)
    #expect(try Data(contentsOf: file) == Self.old)
  }

  @Test func `a download over its limit ends at the head, if the length is announced`() async throws {
    // A stalled body must not delay the error.
    server.on("/") { _ in .response(body: Data(count: 1001)).stalling(at: .headEnd) }
    try await expectTooLarge(.get(server.url("/")), limit: 1000)
    #expect(server.requests.count == 1)
    try await server.waitUntilClosed(connection: 1)
  }

  @Test func `a download over its limit ends at the first byte too many, if no length is announced`()
    async throws
  {
    server.on("/") { _ in .chunked(chunks: [Data(count: 60_000_000)]) }
    try await expectTooLarge(.get(server.url("/")), limit: 100_000)
    #expect(server.requests.count == 1)
    try await server.waitUntilClosed(connection: 1)
    #expect(server.connections[0].bytesSent < 40_000_000)
  }

  @Test func `the limit of a download counts decoded bytes`() async throws {
    // 1,000,000 zeros, compressed.
    let zeros = try await Program.output(of: "gzip", ["-c"], input: Data(count: 1_000_000))
    server.on("/") { _ in .response(fields: ["Content-Encoding": "gzip"], body: zeros) }
    let request = Request.get(server.url("/")).field("Accept-Encoding", "gzip")
    try await expectTooLarge(request, limit: 999_999)
    try await client.download(request, to: file, limit: 1_000_000)
    #expect(try Data(contentsOf: file) == Data(count: 1_000_000))
  }

  @Test func `a download accepts a file as large as its limit, announced or not`() async throws {
    let content = Data.seeded(1000)
    server.on("/announced") { _ in .response(body: content) }
    server.on("/chunked") { _ in .chunked(chunks: [content]) }
    for path in ["/announced", "/chunked"] {
      try await client.download(.get(server.url(path)), to: file, limit: 1000)
      #expect(try Data(contentsOf: file) == content)
    }
  }

  @Test func `the limit of a download includes the bytes that an earlier attempt left`() async throws {
    let content = Data.seeded(1000)
    server.on("/") { request in
      let response = MockResponse.file(content, etag: "\"1\"", for: request)
      return request.index == 0 ? response.closing(at: .body(900)) : response
    }
    let request = Request.get(server.url("/")).attempts(1)
    await #expect(throws: RequestError.self) { try await client.download(request, to: file, resume: true) }
    try await expectTooLarge(request, limit: 999, resume: true)
    #expect(server.requests.map { $0.fields["Range"] } == [nil, "bytes=900-"])
    try await client.download(request, to: file, resume: true, limit: 1000)
    #expect(try Data(contentsOf: file) == content)
  }

  @Test func `the client's limit applies to downloads without one`() async throws {
    server.on("/") { _ in .response(body: Data(count: 1001)) }
    var configuration = ClientConfiguration()
    configuration.downloadLimit = 1000
    let client = Client(transport: CurlTransport(), configuration: configuration)
    let request = Request.get(server.url("/"))
    let error = await #expect(throws: RequestError.self) { try await client.download(request, to: file) }
    #expect(error?.code == .bodyTooLarge)
    try await client.download(request, to: file, limit: 1001)
    #expect(try Data(contentsOf: file).count == 1001)
  }

  @Test func `the limit of a download applies to an interceptor's response`() async throws {
    struct Instead: Interceptor {
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        Response(status: 200, data: Data(count: 11), url: try #require(request.url))
      }
    }
    var configuration = ClientConfiguration()
    configuration.interceptors = [Instead()]
    let client = Client(transport: CurlTransport(), configuration: configuration)
    let error = await #expect(throws: RequestError.self) {
      try await client.download(.get(server.url("/")), to: file, limit: 10)
    }
    #expect(error?.code == .bodyTooLarge)
    #expect(try Data(contentsOf: file) == Self.old)
  }
}
