import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ErrandSigning

/// Signed requests to a server that checks them.
@Suite(.timeLimit(.minutes(1))) struct AWSSocketTests {
  /// The local clock, which the test may set.
  private final class LocalClock: Sendable {
    private let offset = Mutex(0.0)
    var date: Date { AWSVector.time.addingTimeInterval(offset.withLock { $0 }) }
    func set(wrong seconds: Double) { offset.withLock { $0 = seconds } }
  }

  private let local = LocalClock()

  private func client(_ signer: AWSSigner, for server: AWSServer) -> Client {
    var configuration = ClientConfiguration()
    configuration.signer = signer
    configuration.signerOrigins = ["127.0.0.1", "localhost"].compactMap {
      URL(string: "http://\($0):\(server.server.port)")
    }
    configuration.retry = .never
    let local = local
    configuration.date = { local.date }
    return Client(transport: CurlTransport(), configuration: configuration)
  }

  private func signer(
    _ service: String, token: String? = nil, payload: AWSPayloadSigning = .always
  ) throws -> AWSSigner {
    try AWSSigner(
      region: "us-east-1", service: service, credentials: AWSVector.credentials(token: token),
      payload: payload)
  }

  @Test(arguments: ["s3", "execute-api"], [nil, AWSVector.token])
  func `the server accepts signed requests of each kind`(service: String, token: String?) async throws {
    let server = try AWSServer(service, token: token) { AWSVector.time }
    let client = client(try signer(service, token: token), for: server)
    let folder = try TemporaryFolder()
    try folder.write(Data.seeded(1_000_000), to: "file")
    let url = "http://127.0.0.1:\(server.server.port)"
    for request in [
      Request.get(url), .get("\(url)/a%20b//c/../d/./?z=1&a=%2B%20&b&a=0&%C3%A9=+"),
      .head("\(url)/$&'()*,;=:@!~"), .get("http://LOCALHOST:\(server.server.port)/"),
      .post("\(url)/\u{1234}", .text("hello")), .put(url, .file(folder.file("file"))),
      .put(url, .file(folder.file("file"))).compressed(),
      .post(url, .multipart(MultipartForm().field("a", "b").file("f", at: folder.file("file")))),
      .post(url, .form(["a": "b c"])).field("X-Amz-Meta-A", "  1   2 ").addingField("X-Amz-Meta-A", "3"),
    ] {
      let response = try await client.send(request)
      #expect(response.status == 200)
    }
  }

  @Test func `a stream is sent without a signature of its body`() async throws {
    let server = try AWSServer("s3") { AWSVector.time }
    let client = client(try signer("s3", payload: .exceptStreams), for: server)
    let stream = AsyncStream<Data> { stream in
      for _ in 0..<10 { stream.yield(Data.seeded(10_000)) }
      stream.finish()
    }
    let response = try await client.send(.put("http://127.0.0.1:\(server.server.port)/", .stream(stream)))
    #expect(response.data.count == 100_000)
  }

  @Test func `a body that is changed in transit is refused`() async throws {
    let server = try AWSServer("s3") { AWSVector.time }
    let signer = try signer("s3")
    let url = try #require(URL(string: "http://127.0.0.1:\(server.server.port)/"))
    var outgoing = OutgoingRequest(.put, url, body: .text("hello"), date: AWSVector.time)
    try await signer.sign(&outgoing)
    for (body, status) in [("hello", 200), ("hellO", 403)] as [(String, Int)] {
      let response = try await Client(transport: CurlTransport()).send(
        Request(.put, url, fields: outgoing.fields, body: .text(body)).acceptingAnyStatus())
      #expect(response.status.code == status, "\(response.text)")
    }
  }

  @Test func `only one request is refused because of a wrong clock`() async throws {
    let server = try AWSServer("s3") { AWSVector.time }
    let url = "http://127.0.0.1:\(server.server.port)/"
    let client = client(try signer("s3"), for: server)
    local.set(wrong: -7200)
    for _ in 0..<5 { #expect(try await client.send(.post(url, .text("hello"))).text == "hello") }
    #expect(server.server.requests.count == 6)
    // The clock is corrected, and then wrong by another difference.
    local.set(wrong: 0)
    for _ in 0..<5 { _ = try await client.send(.get(url)) }
    #expect(server.server.requests.count == 12)
    local.set(wrong: 86_400)
    for _ in 0..<5 { _ = try await client.send(.get(url)) }
    #expect(server.server.requests.count == 18)
  }

  @Test func `40 concurrent requests learn a wrong clock, and each is sent at most twice`() async throws {
    let server = try AWSServer("s3") { AWSVector.time }
    let url = "http://127.0.0.1:\(server.server.port)/"
    let client = client(try signer("s3"), for: server)
    local.set(wrong: 3600)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<40 { group.addTask { try await client.send(.get(url)).status.code } }
      for try await code in group { #expect(code == 200) }
    }
    #expect((41...80).contains(server.server.requests.count))
  }

  @Test func `a wrong key is refused, once`() async throws {
    let server = try AWSServer("s3") { AWSVector.time }
    let keys = try AWSCredentials(accessKeyID: "AKIDEXAMPLE", secretAccessKey: "other")
    let client = client(try AWSSigner(region: "us-east-1", service: "s3", credentials: keys), for: server)
    await #expect(throws: RequestError.self) {
      try await client.send(.get("http://127.0.0.1:\(server.server.port)/"))
    }
    #expect(server.server.requests.count == 1)
  }
}
