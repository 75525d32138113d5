import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import TestSupport
import Testing

/// Accepted responses without content, for which a download creates no file.
@Suite struct DownloadsWithoutContentTests {
  private static let old = Data("old".utf8)

  private let server: MockServer
  private let temporary: TemporaryFolder
  private let file: URL

  init() throws {
    server = try MockServer()
    temporary = try TemporaryFolder()
    file = temporary.url.appending(path: "file")
  }

  private func client(_ interceptors: [any Interceptor] = []) -> Client {
    var configuration = ClientConfiguration()
    configuration.retry = .attempts(2)
    configuration.retry.backoff = .zero
    configuration.interceptors = interceptors
    return Client(transport: CurlTransport(), configuration: configuration)
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: temporary.url.path).sorted() }
  }

  @Test(arguments: [204, 205, 304], [false, true])
  func `a download does not change its target when the response has no content`(status: Int, resumes: Bool)
    async throws
  {
    try Self.old.write(to: file)
    server.on("/") { _ in .response(status: status, fields: ["ETag": "\"1\""]) }
    let request = Request.get(server.url("/")).field("If-None-Match", "\"1\"").accepting(200..<305)
    let response = try await client().download(request, to: file, resume: resumes)
    #expect(response.status.code == status)
    #expect(response.file == nil)
    #expect(response.data.isEmpty)
    #expect(try Data(contentsOf: file) == Self.old)
    #expect(try names == ["file"])
  }

  @Test func `a download without content creates no file`() async throws {
    server.on("/") { _ in .response(status: 204) }
    let response = try await client().download(.get(server.url("/")), to: file)
    #expect(response.file == nil)
    #expect(try names == [])
  }

  @Test func `a download with HEAD does not change its target`() async throws {
    try Self.old.write(to: file)
    server.on("HEAD", "/") { _ in .response(body: "never sent") }
    let response = try await client().download(.head(server.url("/")), to: file)
    #expect(response.status == 200)
    #expect(response.file == nil)
    #expect(try Data(contentsOf: file) == Self.old)
  }

  @Test func `a response with an empty body makes an empty file`() async throws {
    try Self.old.write(to: file)
    server.on("/") { _ in .response() }
    let response = try await client().download(.get(server.url("/")), to: file)
    #expect(response.file == file)
    #expect(try Data(contentsOf: file).isEmpty)
  }

  @Test func `a download that requires a body refuses a response without content`() async throws {
    try Self.old.write(to: file)
    server.on("/") { _ in .response(status: 204) }
    let error = await #expect(throws: RequestError.self) {
      try await client().download(.get(server.url("/")).expectingBody(), to: file)
    }
    #expect(error?.code == .rejected)
    #expect(try Data(contentsOf: file) == Self.old)
  }

  @Test func `a 304 keeps the part of an earlier version, to be resumed`() async throws {
    let content = Data("0123456789".utf8)
    server.on("/") { request in
      switch request.index {
      case 0: .response(fields: ["ETag": "\"1\""], body: content).closing(at: .body(5))
      case 1: .response(status: 304, fields: ["ETag": "\"0\""])
      default: .file(content, etag: "\"1\"", for: request)
      }
    }
    let request = Request.get(server.url("/")).attempts(1)
    await #expect(throws: RequestError.self) {
      try await client().download(request, to: file, resume: true)
    }
    let unmodified = try await client().download(
      request.field("If-None-Match", "\"0\"").accepting(200..<305), to: file, resume: true)
    #expect(unmodified.file == nil)
    try await client().download(request, to: file, resume: true)
    #expect(try Data(contentsOf: file) == content)
    #expect(server.requests.map { $0.fields["Range"] } == [nil, "bytes=5-", "bytes=5-"])
  }

  @Test(arguments: [204, 304])
  func `an interceptor's response without content does not change the target`(status: Int) async throws {
    struct Instead: Interceptor {
      let status: Int
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        Response(status: HTTPStatus(status), url: try #require(request.url))
      }
    }
    try Self.old.write(to: file)
    let response = try await client([Instead(status: status)]).download(.get(server.url("/")), to: file)
    #expect(response.file == nil)
    #expect(try Data(contentsOf: file) == Self.old)
    #expect(try names == ["file"])
  }
}
