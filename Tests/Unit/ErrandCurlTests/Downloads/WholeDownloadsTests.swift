import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import TestSupport
import Testing

@Suite struct WholeDownloadsTests {
  private let server: MockServer
  private let temporary: TemporaryFolder
  private let file: URL
  private static let content = Data("0123456789".utf8)

  init() throws {
    server = try MockServer()
    temporary = try TemporaryFolder()
    file = temporary.url.appending(path: "file")
  }

  private func client(attempts: Int = 3) -> Client {
    var configuration = ClientConfiguration()
    configuration.retry = .attempts(attempts)
    configuration.retry.backoff = .zero
    return Client(transport: CurlTransport(), configuration: configuration)
  }

  /// Serves a first response that is interrupted after five bytes, and then the given ones.
  private func serve(_ others: @escaping @Sendable (MockRequest) -> MockResponse) {
    server.on("/") { request in
      request.index == 0
        ? .response(fields: ["ETag": "\"1\""], body: Self.content).closing(at: .body(5)) : others(request)
    }
  }

  private func part(_ range: String, _ body: String, length: String? = nil) -> MockResponse {
    var fields: HTTPFields = ["ETag": "\"1\"", "Content-Range": range]
    if let length { fields["Content-Length"] = length }
    return .response(status: 206, fields: fields, body: body)
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: temporary.url.path).sorted() }
  }

  @Test func `the files that an interrupted download leaves contain no secret of the client`() async throws {
    serve { _ in .close }
    var configuration = ClientConfiguration()
    configuration.retry = .never
    configuration.secrets = Secrets(queryItems: ["whose"])
    let client = Client(transport: CurlTransport(), configuration: configuration)
    let request = Request.get(server.url("/"), query: ["whose": "alice", "page": "seven"])
    await #expect(throws: RequestError.self) { try await client.download(request, to: file, resume: true) }
    let left = try names.map { name in
      String(decoding: try Data(contentsOf: temporary.url.appending(path: name)), as: UTF8.self)
    }
    #expect(left.contains { $0.contains("seven") })
    #expect(!left.contains { $0.contains("alice") })
  }

  @Test func `a download continues after partial responses until the file is complete`() async throws {
    serve { request in
      request.fields["Range"] == "bytes=5-" ? part("bytes 5-6/10", "56") : part("bytes 7-9/10", "789")
    }
    try await client().download(.get(server.url("/")), to: file)
    #expect(try Data(contentsOf: file) == Self.content)
    #expect(server.requests.map { $0.fields["Range"] } == [nil, "bytes=5-", "bytes=7-"])
  }

  @Test func `a download never ends with a part of the file`() async throws {
    try Self.content.prefix(1).write(to: file)
    serve { request in part("bytes 5-6/10", "56") }
    let error = await #expect(throws: RequestError.self) {
      try await client(attempts: 2).download(.get(server.url("/")), to: file)
    }
    #expect(error?.code == .connectionLost)
    #expect(try Data(contentsOf: file) == Self.content.prefix(1))
    #expect(try names == ["file"])
  }

  @Test(arguments: [
    "bytes 4-9/10", "bytes 6-9/10", "bytes 5-9/11", "bytes 5-10/10", "bytes 5-9/*x", "bytes 5-9",
    "bytes -5/10",
    "bytes 5-4/10", "items 5-9/10", "bytes 5-9223372036854775807/9223372036854775807",
    "bytes 5-9223372036854775808/*", "bytes 5-99999999999999999999/99999999999999999999", "bytes +5-9/10", "",
  ])
  func `an inconsistent Content-Range makes the download start again`(range: String) async throws {
    serve { request in
      request.fields.contains("Range")
        ? part(range, "56789") : .response(fields: ["ETag": "\"1\""], body: Self.content)
    }
    try await client().download(.get(server.url("/")), to: file)
    #expect(try Data(contentsOf: file) == Self.content)
    #expect(server.requests.map { $0.fields["Range"] } == [nil, "bytes=5-", nil])
  }

  @Test(arguments: [[:], ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]] as [HTTPFields], [false, true])
  func `a rest without a validator is not appended`(fields: HTTPFields, resumes: Bool)
    async throws
  {
    let other = Data("abcdefghij".utf8)
    serve { request in
      guard request.fields.contains("Range") else { return .response(body: other) }
      var fields = fields
      fields["Content-Range"] = "bytes 5-9/10"
      return .response(status: 206, fields: fields, body: other.suffix(5))
    }
    try await client().download(.get(server.url("/")), to: file, resume: resumes)
    #expect(try Data(contentsOf: file) == other)
    #expect(server.requests.map { $0.fields["Range"] } == [nil, "bytes=5-", nil])
  }

  @Test func `a 204 in response to a request for the rest is not accepted as the file`() async throws {
    serve { request in
      request.fields.contains("Range") ? .response(status: 204) : .response(body: Self.content)
    }
    try await client().download(.get(server.url("/")), to: file)
    #expect(try Data(contentsOf: file) == Self.content)
    #expect(server.requests.map { $0.fields["Range"] } == [nil, "bytes=5-", nil])
  }

  @Test func `a part is not resumed for another long URL with the same beginning`() async throws {
    let long = String(repeating: "a", count: 1000)
    server.on("/") { request in
      request.target.hasSuffix("1")
        ? .response(fields: ["ETag": "\"1\""], body: Self.content).closing(at: .body(5))
        : .file(Self.content, etag: "\"1\"", for: request)
    }
    await #expect(throws: RequestError.self) {
      try await client(attempts: 1).download(.get(server.url("/?\(long)1")), to: file, resume: true)
    }
    try await client().download(.get(server.url("/?\(long)2")), to: file, resume: true)
    #expect(server.requests.map { $0.fields["Range"] } == [nil, nil])
  }

  @Test func `a length that would overflow does not crash the process`() async throws {
    serve { request in
      guard request.fields.contains("Range") else { return .response(body: Self.content) }
      return part("bytes 5-9/10", "56789", length: "9223372036854775807").closing(at: .end)
    }
    try await client().download(.get(server.url("/")), to: file)
    #expect(try Data(contentsOf: file) == Self.content)
  }

  @Test func `bytes beyond the announced range are not written to the file`() async throws {
    serve { request in
      .chunked(
        status: 206, fields: ["ETag": "\"1\"", "Content-Range": "bytes 5-6/10"], chunks: [Data("5x789".utf8)])
    }
    await #expect(throws: RequestError.self) {
      try await client().download(.get(server.url("/")), to: file, resume: true)
    }
    #expect(try names == [])
  }

  @Test func `an unrequested partial response is not accepted as the whole`() async throws {
    server.on("/") { _ in part("bytes 0-4/10", "01234") }
    let error = await #expect(throws: RequestError.self) {
      try await client().download(.get(server.url("/")), to: file)
    }
    #expect(error?.code == .invalidResponse)
    #expect(try names == [])
  }

  @Test func `a download of a range that the caller requested is complete`() async throws {
    server.on("/") { .file(Self.content, for: $0) }
    try await client().download(.get(server.url("/")).field("Range", "bytes=2-4"), to: file)
    #expect(try Data(contentsOf: file) == Data("234".utf8))
  }

  @Test func `a partial response without the total length does not complete a file`() async throws {
    server.on("/") { request in
      switch request.index {
      case 0: .chunked(fields: ["ETag": "\"1\""], "01234", "56789").closing(at: .body(10))
      case 1: part("bytes 5-6/*", "56")
      default: .response(body: Self.content)
      }
    }
    try await client().download(.get(server.url("/")), to: file)
    #expect(try Data(contentsOf: file) == Self.content)
    #expect(server.requests.count == 3)
  }

  @Test func `a memo is removed before the part's bytes change, in case of a crash`() async throws {
    server.on("/") { request in
      request.index == 0
        ? .response(fields: ["ETag": "\"1\""], body: Self.content).closing(at: .body(5))
        : .response(body: Data("abcdefghij".utf8)).stalling(at: .body(5))
    }
    await #expect(throws: RequestError.self) {
      try await client(attempts: 1).download(.get(server.url("/")), to: file, resume: true)
    }
    #expect(try names == [".file.errand-part", ".file.errand-part.json"])
    let task = Task { try await client(attempts: 1).download(.get(server.url("/")), to: file, resume: true) }
    let part = temporary.url.appending(path: ".file.errand-part")
    while try Data(contentsOf: part) != Data("abcde".utf8) { await Task.yield() }
    #expect(try names == [".file.errand-part"])
    task.cancel()
    _ = await task.result
  }
}
