import ErrandCurl
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCore

/// Interceptors that use `next` in unusual ways around a download.
@Suite(.timeLimit(.minutes(1))) struct InterceptedDownloadsTests {
  private typealias Way = @Sendable (Request, InterceptorChain) async throws -> Response

  private struct Intercepting: Interceptor {
    let way: Way
    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      try await way(request, next)
    }
  }

  private struct Refusal: Error {}

  private let server: MockServer
  private let temporary: TemporaryFolder
  private let file: URL
  private static let content = Data("0123456789".utf8)

  init() throws {
    server = try MockServer()
    temporary = try TemporaryFolder()
    file = temporary.url.appending(path: "file")
  }

  private func client(_ way: Way? = nil) -> Client {
    var configuration = ClientConfiguration()
    configuration.retry = .attempts(1)
    if let way { configuration.attemptInterceptors = [Intercepting(way: way)] }
    return Client(transport: CurlTransport(), configuration: configuration)
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: temporary.url.path).sorted() }
  }

  private func error(_ client: Client) async -> RequestError? {
    await #expect(throws: RequestError.self) { try await client.download(.get(server.url("/")), to: file) }
  }

  @Test func `an interrupted transfer after a complete one puts no part in the file's place`() async throws {
    server.on("/") { request in
      request.index == 0 ? .response(body: Self.content) : .response(body: Self.content).closing(at: .body(3))
    }
    let client = client { request, next in
      let first = try await next(request)
      return (try? await next(request)) ?? first
    }
    #expect(await error(client)?.code == .connectionLost)
    #expect(try names == [])
  }

  @Test func `a response whose bytes were overwritten is not returned as the new one`() async throws {
    server.on("/") { .response(body: $0.index == 0 ? "first" : "other") }
    let client = client { request, next in
      let first = try await next(request)
      _ = try await next(request)
      return first
    }
    #expect(await error(client)?.code == .unsupported)
    #expect(try names == [])
  }

  @Test func `a transfer that follows an interrupted one completes the file`() async throws {
    server.on("/") { request in
      let response = MockResponse.response(fields: ["ETag": "\"1\""], body: Self.content)
      return request.index == 0 ? response.closing(at: .body(3)) : response
    }
    let client = client { request, next in
      do { return try await next(request) } catch { return try await next(request) }
    }
    try await client.download(.get(server.url("/")), to: file)
    #expect(try Data(contentsOf: file) == Self.content)
    #expect(try names == ["file"])
  }

  @Test func `a second concurrent transfer is refused and not sent`() async throws {
    server.on("/") { _ in .response(body: Self.content).stalling(at: .body(3)) }
    let client = client { [server] request, next in
      Task { try await next(request) }
      try await server.waitForRequests(1)
      return try await next(request)
    }
    #expect(await error(client)?.code == .unsupported)
    #expect(server.requests.count == 1)
  }

  @Test func `a file is not moved into place while another transfer may still write to it`() async throws {
    server.on("/") { request in
      request.index == 0 ? .response(body: Self.content) : .response(body: Self.content).stalling(at: .start)
    }
    let client = client { [server] request, next in
      let first = try await next(request)
      Task { try await next(request) }
      try await server.waitForRequests(2)
      return first
    }
    #expect(await error(client)?.code == .unsupported)
    #expect(try !names.contains("file"))
  }

  @Test func `an interceptor's own response is not written during a transfer`() async throws {
    server.on("/") { _ in .response(body: Self.content).stalling(at: .body(3)) }
    let client = client { [server] request, next in
      Task { try await next(request) }
      try await server.waitForRequests(1)
      return Response(status: 200, data: Data("XYZ".utf8), url: server.url("/"))
    }
    let error = await error(client)
    #expect(error?.code == .unsupported)
    // It fails before a byte is written, not when the file should be moved into place.
    #expect(error?.message.contains("one transfer at a time") == true)
    #expect(try !names.contains("file"))
  }

  @Test func `the response of another download is not accepted as the response of this one`() async throws {
    server.on("/") { _ in .response(body: Self.content) }
    let elsewhere = temporary.url.appending(path: "elsewhere")
    let other = client()
    let client = client { request, _ in try await other.download(request, to: elsewhere) }
    #expect(await error(client)?.code == .unsupported)
    #expect(try names == ["elsewhere"])
  }

  @Test func `a transfer that starts after its download has failed does not lock the part`() async throws {
    server.on("/") { _ in .response(body: Self.content) }
    let late = Locked<(Request, InterceptorChain)?>(nil)
    let failing = client { request, next in
      late.withLock { $0 = (request, next) }
      throw Refusal()
    }
    await #expect(throws: Refusal.self) {
      try await failing.download(.get(server.url("/")), to: file, resume: true)
    }
    let (request, next) = try #require(late.withLock { $0 })
    await #expect(throws: CancellationError.self) { try await next(request) }
    #expect(server.requests.isEmpty)
    #expect(PartFiles.writer(of: temporary.path(".file.errand-part")) == nil)
    try await client().download(.get(server.url("/")), to: file, resume: true)
    #expect(try Data(contentsOf: file) == Self.content)
  }

  @Test func `an interceptor's own response is never used as the beginning of the server's file`()
    async throws
  {
    server.on("/") { request in
      let response = MockResponse.response(fields: ["ETag": "\"1\""], body: Self.content)
      return request.index == 0 ? response.closing(at: .body(5)) : response
    }
    await #expect(throws: RequestError.self) {
      try await client().download(.get(server.url("/")), to: file, resume: true)
    }
    #expect(try names == [".file.errand-part", ".file.errand-part.json"])
    // The file cannot be moved into place then.
    let responding = client { [server, file] _, _ in
      try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
      return Response(status: 200, data: Data("XYZ".utf8), url: server.url("/"))
    }
    let error = await #expect(throws: RequestError.self) {
      try await responding.download(.get(server.url("/")), to: file, resume: true)
    }
    #expect(error?.code == .fileUnwritable)
    try FileManager.default.removeItem(at: file)
    #expect(try names == [])
    try await client().download(.get(server.url("/")), to: file, resume: true)
    #expect(try Data(contentsOf: file) == Self.content)
    #expect(server.requests.map { $0.fields["Range"] } == [nil, nil])
  }
}
