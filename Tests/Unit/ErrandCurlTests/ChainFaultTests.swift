import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import TestSupport
import Testing

/// Faults of the interceptor chain that appear only with a real socket.
@Suite struct ChainFaultTests {
  private let server: MockServer
  private let temporary: TemporaryFolder
  private var folder: URL { temporary.url }

  init() throws {
    server = try MockServer()
    temporary = try TemporaryFolder()
  }

  private func client(_ change: (inout ClientConfiguration) -> Void = { _ in }) -> Client {
    var configuration = ClientConfiguration()
    configuration.retry.backoff = .zero
    change(&configuration)
    return Client(transport: CurlTransport(), configuration: configuration)
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func `a POST that was redirected to a closed port is not sent again`(status: Int) async throws {
    server.on("POST", "/") { _ in .redirect(status, to: "http://127.0.0.1:1/") }
    let error = await #expect(throws: RequestError.self) {
      try await client().send(.post(server.url("/"), .text("once")))
    }
    #expect(error?.code == .cannotConnect)
    #expect(error?.reachedServer == true)
    #expect(server.requests.count == 1)
  }

  @Test(arguments: [MockResponse.Point.body(2), .body(0)])
  func `an error response whose body is interrupted keeps its status and its Retry-After`(
    point: MockResponse.Point
  ) async throws {
    server.script(
      "GET", "/",
      [
        .response(status: 503, fields: ["Retry-After": "0"], body: "too much").closing(at: point),
        .response(status: 404, body: "not here").closing(at: point),
      ])
    let error = await #expect(throws: RequestError.self) { try await client().send(.get(server.url("/"))) }
    #expect(error?.code == .rejected)
    #expect(error?.status == 404)
    #expect(error?.attempt == 2)
  }

  @Test func `a redirect whose body never ends is followed nevertheless`() async throws {
    server.on("/") { [server] _ in
      .redirect(302, to: server.url("/next").absoluteString).announcing(length: 1)
    }
    let endless = MockResponse.response(
      status: 302, fields: ["Location": "/next"], body: Data(count: 10_000_000))
    server.on("/endless") { _ in endless.stalling(at: .body(9_000_000)) }
    server.on("/next") { _ in .response(body: "there") }
    #expect(try await client().send(.get(server.url("/endless"))).text == "there")
  }

  @Test func `a request that an interceptor changed is checked like the original one`() async throws {
    struct Spoil: Interceptor {
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        switch request.url?.path {
        case "/url": try await next(.get("no url"))
        case "/field": try await next(request.field("X", "a\r\nEvil: 1"))
        case "/length": try await next(request.field("Content-Length", "7"))
        default:
          try await next(.get("http://me:hush@\(request.url?.host() ?? ""):\(request.url?.port ?? 0)/ok"))
        }
      }
    }
    server.on("/ok") { _ in .response(body: "ok") }
    for isInner in [false, true] {
      let client = client {
        if isInner { $0.attemptInterceptors = [Spoil()] } else { $0.interceptors = [Spoil()] }
      }
      for path in ["/url", "/field", "/length"] {
        let error = await #expect(throws: RequestError.self) { try await client.send(.get(server.url(path))) }
        #expect(error?.code == .invalidRequest)
      }
      #expect(try await client.send(.get(server.url("/user"))).text == "ok")
    }
    #expect(server.requests.allSatisfy { $0.fields["Authorization"] == "Basic bWU6aHVzaA==" })
    #expect(server.requests.count == 2)
  }

  @Test func `a stream is not opened for a request that an interceptor spoiled`() async throws {
    struct SpoilOnce: Interceptor {
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        let error = await #expect(throws: RequestError.self) { try await next(request.field("X", "a\nb")) }
        #expect(error?.code == .invalidRequest)
        return try await next(request)
      }
    }
    server.on("POST", "/") { _ in .response(body: "ok") }
    let client = client { $0.attemptInterceptors = [SpoilOnce()] }
    let chunks = AsyncStream<Data> { continuation in
      continuation.yield(Data("once".utf8))
      continuation.finish()
    }
    #expect(try await client.send(.post(server.url("/"), .stream(chunks))).text == "ok")
    #expect(server.requests.map(\.body) == [Data("once".utf8)])
  }

  @Test func `a body that is announced as larger than the memory limit fails at its head`() async throws {
    server.on("/") { _ in .response(body: Data(count: 2000)).stalling(at: .body(10)) }
    let error = await #expect(throws: RequestError.self) {
      try await client().send(.get(server.url("/")).memoryLimit(1000).timeout(.seconds(50)).bestEffort())
    }
    #expect(error?.code == .bodyTooLarge)
  }

  @Test func `an interceptor's own response is downloaded and streamed like any other`() async throws {
    struct Own: Interceptor {
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        Response(status: 200, data: Data("own".utf8), url: request.url!)
      }
    }
    let client = client { $0.interceptors = [Own()] }
    let file = folder.appending(path: "file")
    let response = try await client.download(.get(server.url("/")), to: file)
    #expect(response.file == file)
    #expect(try String(contentsOf: file, encoding: .utf8) == "own")
    var streamed = Data()
    for try await chunk in try await client.stream(.get(server.url("/"))).chunks { streamed += chunk }
    #expect(streamed == Data("own".utf8))
  }

  @Test func `an interceptor may send a streaming call twice and return the second response`() async throws {
    struct Twice: Interceptor {
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        _ = try await next(request)
        return try await next(request)
      }
    }
    server.on("/") { _ in .response(body: "body") }
    let client = client { $0.attemptInterceptors = [Twice()] }
    var streamed = Data()
    for try await chunk in try await client.stream(.get(server.url("/"))).chunks { streamed += chunk }
    #expect(streamed == Data("body".utf8))
    #expect(server.requests.count == 2)
  }

  @Test func `HEAD for a large resource succeeds, whatever the memory limit`() async throws {
    server.on("HEAD", "/") { _ in .response(body: Data(count: 5_000_000)) }
    let response = try await client().send(.head(server.url("/")).memoryLimit(1000))
    #expect(response.fields["Content-Length"] == "5000000")
  }

  @Test func `a range that the caller requested is not mistaken for the beginning of the whole`() async throws
  {
    let content = Data((0..<4000).map { UInt8($0 % 251) })
    server.on("/") { request in
      .file(content, etag: "\"v1\"", for: request).closing(
        at: request.fields["Range"] == "bytes=1000-" ? .body(500) : .end)
    }
    let file = folder.appending(path: "file")
    let part = Request.get(server.url("/")).field("Range", "bytes=1000-").bestEffort()
    await #expect(throws: RequestError.self) { try await client().download(part, to: file, resume: true) }
    try await client().download(.get(server.url("/")), to: file, resume: true)
    #expect(try Data(contentsOf: file) == content)
  }

  @Test func `a second download to the same place is refused, and the first is not affected`() async throws {
    let content = Data(count: 100_000)
    server.on("/") { _ in .response(fields: ["ETag": "\"a\""], body: content).stalling(at: .body(50_000)) }
    let file = folder.appending(path: "file")
    let client = client()
    let first = Task { try await client.download(.get(server.url("/")), to: file, resume: true) }
    try await server.waitForRequests(1)
    let error = await #expect(throws: RequestError.self) {
      try await client.download(.get(server.url("/")), to: file, resume: true)
    }
    #expect(error?.code == .fileUnwritable)
    #expect(error?.description.contains("another download") == true)
    first.cancel()
    _ = await first.result
    #expect(server.requests.count == 1)
  }

  @Test func `the files of a resumable download contain no secret`() async throws {
    server.on("/") { _ in
      .response(fields: ["ETag": "\"a\""], body: Data(count: 100_000)).closing(at: .body(50_000))
    }
    let url = server.url("/?token=hush&page=2")
    await #expect(throws: RequestError.self) {
      try await client().download(.get(url).bestEffort(), to: folder.appending(path: "file"), resume: true)
    }
    let left = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    #expect(left.map(\.lastPathComponent).sorted() == [".file.errand-part", ".file.errand-part.json"])
    for file in left {
      #expect(try !String(decoding: Data(contentsOf: file), as: UTF8.self).contains("hush"))
    }
  }

  /// If the process ended then with the old memo in place, the new version's bytes would be mistaken for
  /// those of the old one.
  @Test func `a part that is overwritten by a new version loses the memo of the old one`() async throws {
    let (old, new) = (Data(repeating: 1, count: 100_000), Data(repeating: 2, count: 100_000))
    let file = folder.appending(path: "file")
    let (part, memo) = (
      folder.appending(path: ".file.errand-part"), folder.appending(path: ".file.errand-part.json")
    )
    server.on("/") { .file(old, etag: "\"old\"", for: $0).closing(at: .body(50_000)) }
    let request = Request.get(server.url("/")).bestEffort()
    await #expect(throws: RequestError.self) { try await client().download(request, to: file, resume: true) }
    #expect(FileManager.default.fileExists(atPath: memo.path))
    // This response has no validator.
    server.on("/") { _ in .response(body: new).stalling(at: .body(60_000)) }
    let another = client()
    let download = Task { try await another.download(request, to: file, resume: true) }
    try await waitUntil { try Data(contentsOf: part).first == 2 }
    #expect(!FileManager.default.fileExists(atPath: memo.path))
    download.cancel()
    _ = await download.result
  }

  @Test func `a strict status check also accepts a resumed download`() async throws {
    let content = Data.seeded(200_000)
    server.on("/") { request in
      let response = MockResponse.file(content, etag: "\"v1\"", for: request)
      return request.fields["Range"] == nil ? response.closing(at: .body(80_000)) : response
    }
    let file = folder.appending(path: "file")
    try await client().download(.get(server.url("/")).accepting(200..<201), to: file, resume: true)
    #expect(try Data(contentsOf: file) == content)
    #expect(server.requests.count == 2)
  }

  @Test func `a pipe is refused as an upload, without a wait for its writer`() async throws {
    let pipe = folder.appending(path: "pipe")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    let error = await #expect(throws: RequestError.self) {
      try await client().send(.put(server.url("/"), .file(pipe)))
    }
    #expect(error?.code == .fileUnreadable)
  }

  @Test func `a stream that is longer than announced is never accepted as complete`() async throws {
    server.on("POST", "/") { _ in .response() }
    let (chunks, source) = AsyncStream.makeStream(of: Data.self)
    for _ in 0..<2 { source.yield(Data(count: 10)) }
    source.finish()
    let error = await #expect(throws: RequestError.self) {
      try await client().send(.post(server.url("/"), .stream(chunks, length: 10)))
    }
    #expect(error?.code == .bodyFailed)
    #expect(server.requests.allSatisfy { !$0.isComplete })
  }
}
