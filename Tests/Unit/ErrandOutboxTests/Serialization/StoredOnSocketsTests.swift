import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox

/// A server receives the same request from storage as when it is sent directly.
@Suite(.timeLimit(.minutes(1))) struct StoredOnSocketsTests {
  private let harness: StorageHarness
  private let server: MockServer

  init() throws {
    harness = try StorageHarness()
    server = try MockServer()
    server.otherwise { _ in .response() }
  }

  enum Kind: String, CaseIterable {
    case none, emptyBytes, bytes, manyBytes, text, json, form, emptyFile, file, largeFile
    case emptyMultipart, fields, mixedMultipart, manyFields
  }

  private func body(_ kind: Kind) throws -> RequestBody {
    switch kind {
    case .none: .none
    case .emptyBytes: .bytes(Data())
    case .bytes: .bytes(.seeded(1000), contentType: "application/x-thing")
    case .manyBytes: .bytes(.seeded(300_000))
    case .text: .text("grün\r\n\u{0}🎈")
    case .json: .json(["a": "ü/\"\\", "b": "\u{2028}"])
    case .form: .form(["a b": "ä&=+", "": "", "a b": "again"])
    case .emptyFile: .file(try harness.file("empty.txt", Data()))
    case .file: .file(try harness.file("photo.jpg", .seeded(70_000)))
    case .largeFile: .file(try harness.file("video.mp4", .seeded(2_000_001)), contentType: "video/x")
    case .emptyMultipart: .multipart(MultipartForm())
    case .fields: .multipart(MultipartForm().field("a", "1").field("b\"", "2\r\n").bytes("c", .seeded(99)))
    case .mixedMultipart:
      .multipart(
        MultipartForm().field("title", "Cät").file("one", at: try harness.file("one.png", .seeded(65_536)))
          .bytes("raw", .seeded(200_000, 2)).file("two", at: try harness.file("two.png", .seeded(131_073, 3)))
          .file("none", at: try harness.file("none.bin", Data())).field("end", ""))
    case .manyFields:
      .multipart((0..<300).reduce(MultipartForm()) { $0.bytes("f\($1)", .seeded(1000, UInt64($1))) })
    }
  }

  private func request(_ kind: Kind, method: HTTPMethod = .post) throws -> Request {
    var request = Request(
      method, server.url("/a%20b/ü?q=%C3%A9&r=1+2#part"), query: ["x y": "&="], body: try body(kind))
    request.fields.append("X-Twice", "1")
    request.fields.append("x-twice", "two, three")
    request.fields.append("X-Empty", "")
    request.fields.append("x-Mixed-CASE", "ä é e\u{301}")
    return request.idempotencyKey("the-key")
  }

  private func compare(_ request: Request, key: OutboxKey? = nil) async throws {
    let client = Client(transport: CurlTransport())
    let row = try await harness.row(request, key: key)
    _ = try await client.send(request)
    let stored = try harness.request(row, key: key)
    // Sent twice, because attempts are repeated.
    for _ in 1...2 { _ = try await client.send(stored) }
    let requests = server.requests
    try #require(requests.count == 3)
    for found in requests.dropFirst() {
      #expect(seen(found) == seen(requests[0]))
      #expect(found.body == requests[0].body)
      #expect(found.isComplete)
    }
    await client.shutdown(within: .seconds(1))
  }

  @Test(arguments: Kind.allCases)
  func `every kind of body arrives byte for byte`(kind: Kind) async throws {
    try await compare(request(kind))
  }

  @Test(arguments: Kind.allCases)
  func `every kind of body arrives byte for byte when it was encrypted`(kind: Kind) async throws {
    try await compare(request(kind), key: .random())
  }

  @Test(arguments: [HTTPMethod.get, .put, .patch, .delete, .options, "PURGE"])
  func `every method is delivered`(method: HTTPMethod) async throws {
    try await compare(request(.none, method: method))
    #expect(server.requests.allSatisfy { $0.method == method })
  }

  @Test func `an explicit Content-Type keeps its position`() async throws {
    var request = try request(.json)
    request.fields.set("Content-Type", "application/vnd.thing+json")
    request.fields.append("X-Last", "1")
    try await compare(request)
  }
}
