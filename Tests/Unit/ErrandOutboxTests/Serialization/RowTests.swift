import ErrandCore
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox

@Suite struct RowTests {
  private let harness: StorageHarness

  init() throws { harness = try StorageHarness() }

  private func rows(_ items: OutboxItem..., key: OutboxKey? = nil) async throws -> [NewRow] {
    try await harness.storage(key).store(items, used: { Set($0) }, commit: { $0 })
  }

  @Test(arguments: [HTTPMethod.post, .get])
  func `a request without an idempotency key gets one, in quotes, which stays the same`(
    method: HTTPMethod
  )
    async throws
  {
    let key = UUID().uuidString
    let item = OutboxItem(id: .new(), request: Request(method, "https://example.com"), key: key)
    let row = try await rows(item)[0]
    for _ in 1...2 {
      #expect(try harness.request(row).fields.values(of: "Idempotency-Key") == ["\"\(key)\""])
    }
    #expect(try harness.storage().summary(of: row.stored).idempotencyKey == key)
  }

  @Test func `an explicit idempotency key keeps its value and its position`() async throws {
    for (value, shown) in [("\"mine\"", "mine"), ("bare", "bare"), ("\"", "\"")] {
      let request = Request.post("https://example.com").field("A", "1").field("idempotency-KEY", value).field(
        "B", "2")
      let row = try await rows(OutboxItem(id: .new(), request: request, key: UUID().uuidString))[0]
      #expect(try harness.request(row).fields.map(\.name) == ["A", "idempotency-KEY", "B"])
      #expect(try harness.request(row).fields["Idempotency-Key"] == value)
      #expect(try harness.storage().summary(of: row.stored).idempotencyKey == shown)
    }
  }

  @Test func `a summary has the method, the URL and the kind of body, and no contents`() async throws {
    let file = try harness.file("f.bin", .seeded(1234))
    let kinds: [(RequestBody, StoredBody.Kind, Int64)] = [
      (.none, .none, 0), (.text("hello"), .bytes, 5), (.file(file), .file, 1234),
      (.bytes(.seeded(70_000)), .bytes, 70_000),
      (.multipart(MultipartForm(boundary: "B")), .multipart, 7),
    ]
    for key in [nil, OutboxKey.random()] {
      for (body, kind, length) in kinds {
        let request = Request("PURGE", "https://example.com/a?b=c", body: body)
        let item = OutboxItem(id: .new(), request: request, key: UUID().uuidString)
        let row = try await rows(item, key: key)[0]
        let summary = try harness.storage(key).summary(of: row.stored)
        #expect(summary.method == "PURGE")
        #expect(summary.url == "https://example.com/a?b=c")
        #expect(summary.body == kind)
        #expect(summary.bodyLength == length)
        #expect(row.summary.count < 250)
        #expect(row.summary.firstRange(of: Data("hello".utf8)) == nil)
      }
    }
  }

  @Test func `a row has the lane, the priority and the size of its content and its files`() async throws {
    let file = try harness.file("f.bin", .seeded(1234))
    var item = OutboxItem(
      id: .new(), request: .post("https://example.com", .file(file)).priority(.userInitiated),
      key: UUID().uuidString)
    item.lane = "chat/42"
    item.holdsLane = true
    let row = try await rows(item)[0]
    #expect(row.id == item.id)
    #expect(row.lane == "chat/42")
    #expect(row.holdsLane)
    #expect(row.priority == 3)
    #expect(row.expiry == nil)
    #expect(row.size == Int64(row.content.count) + 1234)
    #expect(row.files == harness.fileNames)
  }

  @Test func `a stored response is decoded with its key only`() throws {
    for key in [nil, OutboxKey.random()] {
      let storage = harness.storage(key)
      let wrapped = storage.wrapped(response: .seeded(99), of: OutboxID(rawValue: "a"))
      #expect(try storage.response(wrapped, of: OutboxID(rawValue: "a")) == .seeded(99))
    }
    let sealed = harness.storage(.random()).wrapped(response: .seeded(99), of: OutboxID(rawValue: "a"))
    #expect(throws: OutboxError.self) {
      _ = try harness.storage().response(sealed, of: OutboxID(rawValue: "a"))
    }
  }
}
