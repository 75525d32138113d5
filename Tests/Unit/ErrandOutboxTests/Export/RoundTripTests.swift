import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox

/// A server receives the same request after an export and an import as when it is sent directly.
@Suite(.timeLimit(.minutes(1))) struct RoundTripTests {
  private let harness: OutboxHarness
  private let other: OutboxHarness
  private let files: StorageHarness
  private var server: MockServer { harness.server }

  init() throws {
    harness = try OutboxHarness()
    other = try OutboxHarness()
    files = try StorageHarness()
    server.otherwise { _ in .response() }
  }

  enum Kind: String, CaseIterable {
    case none, emptyBytes, bytes, manyBytes, json, emptyFile, file, emptyMultipart, mixedMultipart, manyFields
  }

  private func body(_ kind: Kind) throws -> RequestBody {
    switch kind {
    case .none: .none
    case .emptyBytes: .bytes(Data())
    case .bytes: .bytes(.seeded(1000), contentType: "application/x-thing")
    case .manyBytes: .bytes(.seeded(ExportedPiece.longest * 2))
    case .json: .json(["a": "ü/\"\\\n\r", "b": "\u{2028}\u{0}\u{7F}"])
    case .emptyFile: .file(try files.file("empty.txt", Data()))
    case .file: .file(try files.file("video.mp4", .seeded(2 * ExportedPiece.longest + 1)), contentType: "a/b")
    case .emptyMultipart: .multipart(MultipartForm())
    case .mixedMultipart:
      .multipart(
        MultipartForm().field("title", "Cät").file("one", at: try files.file("1.png", .seeded(65_536)))
          .bytes("raw", .seeded(200_000, 2)).file("none", at: try files.file("none.bin", Data()))
          .file("two", at: try files.file("2.png", .seeded(131_073, 3))).field("end", ""))
    case .manyFields:
      .multipart((0..<300).reduce(MultipartForm()) { $0.bytes("f\($1)", .seeded(1000, UInt64($1))) })
    }
  }

  private func request(_ kind: Kind) throws -> Request {
    var request = Request(
      .post, server.url("/a%20b/ü?q=%C3%A9&r=1+2#part"), query: ["x y": "&="], body: try body(kind))
    request.fields.append("X-Twice", "1")
    request.fields.append("x-twice", "two, three \"four\"")
    request.fields.append("X-Empty", "")
    request.fields.append("x-Mixed-CASE", "ä é e\u{301}")
    return request.idempotencyKey("the-key")
  }

  private func compare(_ kind: Kind, from: OutboxKey?, to: OutboxKey?) async throws {
    let request = try request(kind)
    _ = try await harness.client().send(request)
    let source = try await harness.outbox {
      $0.delivers = false
      $0.key = from
    }
    let stored = try await source.enqueue(request)
    let lines = try await source.exportedLines()
    await source.close()
    let target = try await other.outbox { $0.key = to }
    #expect(try await target.import(lines: lines) == OutboxImport(stored: 1, known: 0))
    let receipt = try #require(try await target.receipt(for: stored.id))
    #expect(try await receipt.outcome().response != nil)
    let requests = server.requests
    try #require(requests.count == 2)
    #expect(seen(requests[1]) == seen(requests[0]))
    #expect(requests[1].body == requests[0].body && requests[1].isComplete)
    await target.close()
  }

  @Test(arguments: Kind.allCases) func `each kind of body arrives byte for byte`(_ kind: Kind) async throws {
    try await compare(kind, from: nil, to: nil)
  }

  @Test(arguments: [Kind.bytes, .file, .mixedMultipart])
  func `an encrypted request is exported as plain text, and encrypted with another key`(_ kind: Kind)
    async throws
  {
    try await compare(kind, from: .random(), to: .random())
  }

  @Test func `an import preserves a request's lane, priority, expiry and options`() async throws {
    let source = try await harness.outbox { $0.delivers = false }
    var request = Request.put(server.url("/"), .text("x")).timeout(.seconds(7)).memoryLimit(99)
    request = request.accepting(200..<210)
    try await source.enqueue(request, lane: "ä/1", priority: .background, expires: .seconds(3600))
    let lines = try await source.exportedLines()
    let before = try #require(try await source.list().first)
    await source.close()
    let target = try await other.outbox { $0.delivers = false }
    try await target.import(lines: lines)
    let entry = try #require(try await target.list().first)
    #expect(entry.id == before.id && entry.idempotencyKey == before.idempotencyKey)
    #expect(entry.lane == "ä/1" && entry.priority == .background && entry.state == .stored)
    let (expires, wanted) = (try #require(entry.expires), try #require(before.expires))
    #expect(abs(expires.timeIntervalSince(wanted)) < 0.01)
    let content = try #require(try await target.store.contents(of: [entry.id])[0])
    let found = try target.storage.request(from: content, of: entry.id).options
    #expect(found.timeout == .seconds(7) && found.memoryLimit == 99)
    #expect(found.validator.statuses == AcceptedStatuses(200..<210) && found.priority == .background)
    await target.close()
  }

  @Test func `lanes keep their order`() async throws {
    let source = try await harness.outbox { $0.delivers = false }
    // More than a page of the export, and more than the import stores at once.
    for number in 0..<250 {
      try await source.enqueue(.post(server.url("/\(number)")), lane: "lane \(number % 3)")
    }
    let lines = try await source.exportedLines()
    await source.close()
    let target = try await other.outbox()
    #expect(try await target.import(lines: lines) == OutboxImport(stored: 250, known: 0))
    try await target.waitUntilEmpty()
    await target.close()
    let numbers = server.requests.compactMap { Int($0.path.dropFirst()) }
    #expect(numbers.count == 250)
    for lane in 0..<3 {
      #expect(numbers.filter { $0 % 3 == lane } == Array(stride(from: lane, to: 250, by: 3)))
    }
  }

  @Test func `a large file is exported in short lines, and leaves nothing behind after delivery`()
    async throws
  {
    let content = Data.seeded(5_000_003)
    let source = try await harness.outbox { $0.delivers = false }
    try await source.enqueue(.post(server.url("/"), .file(try files.file("film", content))))
    var exported = Data()
    var longest = 0
    try await source.export { line in
      longest = max(longest, line.count)
      exported += line
    }
    #expect(longest < 270_000)
    await source.close()
    let target = try await other.outbox()
    try await target.import(contentsOf: try files.file("export", exported))
    try await target.waitUntilEmpty()
    #expect(server.requests.map { $0.body == content } == [true])
    await target.close()
    #expect(try other.storedFiles == [])
  }
}

extension OutboxHarness {
  /// The names of the files that the outbox has stored or is still writing.
  var storedFiles: [String] {
    get throws {
      let files = folder.appending(path: "files").path
      guard FileManager.default.fileExists(atPath: files) else { return [] }
      return try FileManager.default.contentsOfDirectory(atPath: files)
        .filter { ContentFileName.isContent($0) || ContentFileName.isPart($0) }
    }
  }
}
