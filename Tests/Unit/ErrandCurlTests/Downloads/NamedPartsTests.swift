import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import TestSupport
import Testing

/// Responses with a Content-Range, whatever their status.
@Suite struct NamedPartsTests {
  private static let content = Data("0123456789".utf8)

  private let server: MockServer
  private let temporary: TemporaryFolder
  private let file: URL
  private let client: Client

  init() throws {
    server = try MockServer()
    temporary = try TemporaryFolder()
    file = temporary.url.appending(path: "file")
    var configuration = ClientConfiguration()
    configuration.retry = .attempts(3)
    configuration.retry.backoff = .zero
    client = Client(transport: CurlTransport(), configuration: configuration)
  }

  private var ranges: [String?] { server.requests.map { $0.fields["Range"] } }

  private static func part(_ status: Int, _ range: String, _ body: Data) -> MockResponse {
    .response(status: status, fields: ["ETag": "\"1\"", "Content-Range": range], body: body)
  }

  /// Serves a first response that is interrupted after five bytes, and then the given ones.
  private func serve(_ others: @escaping @Sendable (MockRequest) -> MockResponse) {
    server.on("/") { request in
      request.index == 0
        ? .response(fields: ["ETag": "\"1\""], body: Self.content).closing(at: .body(5)) : others(request)
    }
  }

  @Test(arguments: [200, 203], [false, true])
  func `a download appends the rest if a 200 has its Content-Range`(status: Int, resumes: Bool) async throws {
    serve { _ in Self.part(status, "bytes 5-9/10", Self.content.suffix(5)) }
    try await client.download(.get(server.url("/")), to: file, resume: resumes)
    #expect(try Data(contentsOf: file) == Self.content)
    #expect(ranges == [nil, "bytes=5-"])
  }

  @Test(arguments: [
    "bytes 4-8/10", "bytes 5-9/11", "bytes 5-9", "items 5-9/10", "bytes */10", "5-9/10", "bytes 5-8/9", "",
  ])
  func `a download requests the whole when a 200 has the Content-Range of another part`(range: String)
    async throws
  {
    serve { request in
      request.fields.contains("Range")
        ? Self.part(200, range, Self.content.suffix(5)) : .response(body: Self.content)
    }
    try await client.download(.get(server.url("/")), to: file)
    #expect(try Data(contentsOf: file) == Self.content)
    #expect(ranges == [nil, "bytes=5-", nil])
  }

  @Test func `a download accepts the whole if a 200 has its Content-Range instead of the rest`() async throws
  {
    serve { _ in Self.part(200, "bytes 0-9/10", Self.content) }
    try await client.download(.get(server.url("/")), to: file)
    #expect(try Data(contentsOf: file) == Self.content)
    #expect(ranges == [nil, "bytes=5-"])
  }

  @Test func `a download fails when the server sends a Content-Range without a request for a range`()
    async throws
  {
    try Data("old".utf8).write(to: file)
    serve { _ in Self.part(200, "bytes 6-9/10", Self.content.suffix(4)) }
    let error = await #expect(throws: RequestError.self) {
      try await client.download(.get(server.url("/")), to: file)
    }
    #expect(error?.code == .invalidResponse)
    #expect(ranges == [nil, "bytes=5-", nil])
    #expect(try Data(contentsOf: file) == Data("old".utf8))
  }

  @Test(arguments: [
    (200, "bytes 0-4/10"), (200, "bytes 5-9/10"), (203, "bytes 0-4/10"), (206, "bytes 0-4/10"),
    (206, "bytes 5-9/*"), (200, "bytes 0-4/*"), (200, "bytes 4-3/10"), (200, "Bytes 0-4/10"),
  ])
  func `no sink accepts a part that was not requested`(status: Int, range: String) async throws {
    try Data("old".utf8).write(to: file)
    server.on("/") { _ in Self.part(status, range, Self.content.prefix(5)) }
    let request = Request.get(server.url("/"))
    let sends: [(Client, Request) async throws -> Response] = [
      { try await $0.send($1) }, { try await $0.stream($1) }, { try await $0.start($1).value },
      { [file] in try await $0.download($1, to: file) },
    ]
    for send in sends {
      let error = await #expect(throws: RequestError.self) { _ = try await send(client, request) }
      #expect(error?.code == .invalidResponse)
      #expect(error?.message.contains("a part") == true)
    }
    #expect(try Data(contentsOf: file) == Data("old".utf8))
  }

  @Test(arguments: [200, 206])
  func `every sink accepts a range that is the whole`(status: Int) async throws {
    server.on("/") { _ in Self.part(status, "bytes 0-9/10", Self.content) }
    let request = Request.get(server.url("/"))
    #expect(try await client.send(request).data == Self.content)
    var streamed = Data()
    for try await chunk in try await client.stream(request).chunks { streamed += chunk }
    #expect(streamed == Self.content)
    try await client.download(request, to: file)
    #expect(try Data(contentsOf: file) == Self.content)
  }

  @Test(arguments: ["items 0-24/319", "0-24/319", "posts 0-24/*"], [200, 206])
  func `a range in another unit than bytes, such as a page of a list, is not a part of a body`(
    range: String, status: Int
  )
    async throws
  {
    server.on("/") { _ in Self.part(status, range, Self.content) }
    #expect(try await client.send(.get(server.url("/"))).data == Self.content)
  }

  @Test(arguments: [nil, "items 0-4/10"])
  func `a 206 without a range of bytes is not accepted as a file`(range: String?) async throws {
    try Data("old".utf8).write(to: file)
    var fields = HTTPFields()
    fields["Content-Range"] = range
    server.on("/") { [fields] _ in .response(status: 206, fields: fields, body: "01234") }
    let error = await #expect(throws: RequestError.self) {
      try await client.download(.get(server.url("/")), to: file)
    }
    #expect(error?.code == .invalidResponse)
    #expect(try Data(contentsOf: file) == Data("old".utf8))
  }

  @Test(arguments: [nil, "bytes 0-4/10"])
  func `a 206 to a POST is treated like any other response`(range: String?) async throws {
    var fields = HTTPFields()
    fields["Content-Range"] = range
    server.on("POST", "/") { [fields] _ in .response(status: 206, fields: fields, body: "01234") }
    #expect(try await client.send(.post(server.url("/"))).text == "01234")
  }

  @Test func `a range that the caller requested is checked for every sink`() async throws {
    let request = Request.get(server.url("/")).field("Range", "bytes=2-4")
    server.on("/") { .file(Self.content, for: $0) }
    #expect(try await client.send(request).data == Data("234".utf8))
    for status in [200, 206] {
      server.on("/") { _ in Self.part(status, "bytes 3-5/10", Data("345".utf8)) }
      for send in [{ try await $0.send($1) }, { try await $0.stream($1) }]
        as [(Client, Request) async throws -> Response]
      {
        let error = await #expect(throws: RequestError.self) { _ = try await send(client, request) }
        #expect(error?.code == .invalidResponse)
      }
    }
  }
}
