import ErrandCore
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox

@Suite struct KeyCheckTests {
  private let harness: StorageHarness
  private let key = OutboxKey.random()

  init() throws { harness = try StorageHarness() }

  private var file: URL { harness.outbox.appending(path: "key-check") }

  private func failure(_ key: OutboxKey?) async -> OutboxError? {
    do {
      try await harness.storage(key).open()
      return nil
    } catch {
      return error as? OutboxError
    }
  }

  @Test func `an outbox without a key leaves no trace of one`() async throws {
    try await harness.storage().open()
    #expect(!FileManager.default.fileExists(atPath: harness.outbox.path))
  }

  @Test func `an encrypted outbox can be opened only with its key`() async throws {
    for _ in 1...2 { try await harness.storage(key).open() }
    #expect(harness.fileNames.isEmpty)
    for other in [nil, OutboxKey.random()] {
      let error = await failure(other)
      #expect(error?.code == .wrongKey)
      #expect(error?.message.contains("open it with the key it had") == true)
    }
    try await harness.storage(key).open()
  }

  @Test
  func `an outbox without a key accepts one later, and reads its old rows only if plaintext is accepted`()
    async throws
  {
    let file = try harness.file("f", .seeded(100_000))
    let rows = [
      try await harness.row(.post("https://example.com", .text("plain"))),
      try await harness.row(.post("https://example.com", .file(file))),
    ]
    let refusal = await #expect(throws: OutboxError.self) {
      try await harness.storage(key).open { rows.map(\.stored) }
    }
    #expect(refusal?.code == .wrongKey && refusal?.message.contains("acceptsPlaintext") == true)
    let telling = harness.storage(key, acceptsPlaintext: true)
    try await telling.open { rows.map(\.stored) }
    for row in rows {
      let request = try telling.request(from: row.content, of: row.id)
      #expect(try await request.bodyBytes() == (row.files.isEmpty ? Data("plain".utf8) : .seeded(100_000)))
      #expect(try telling.summary(of: row.stored).method == .post)
    }
    #expect(await failure(nil)?.code == .wrongKey)
  }

  @Test func `an encrypted outbox accepts no plaintext rows`() async throws {
    let early = harness.storage()
    try await early.open()
    let row = try await harness.row(.post("https://example.com", .text("forged")))
    try await harness.storage(key).open()
    let error = #expect(throws: OutboxError.self) { try harness.request(row, key: key) }
    #expect(error?.code == .wrongKey)
    #expect(throws: OutboxError.self) { try harness.storage(key).summary(of: row.stored) }
    #expect(throws: OutboxError.self) {
      try harness.storage(key).response(early.wrapped(response: Data(), of: row.id), of: row.id)
    }
    // A storage without the key, opened before there was one.
    let late = await #expect(throws: OutboxError.self) {
      _ = try await harness.row(.post("https://example.com", .text("late")))
    }
    #expect(late?.code == .wrongKey)
  }

  @Test func `a damaged key check is not mistaken for a wrong key`() async throws {
    try await harness.storage(key).open()
    let whole = try Data(contentsOf: file)
    for damaged in [Data(), whole.prefix(10), whole.flipping(whole.count * 8 - 1)] {
      try damaged.write(to: file)
      let error = await failure(key)
      #expect(error?.code == .damaged)
      #expect(error?.message.contains(file.path) == true)
    }
    try FileManager.default.removeItem(at: file)
    try await harness.storage(key).open()
  }

  @Test func `exactly one of many keys that open a new outbox concurrently is accepted`() async throws {
    let keys = (0..<16).map { _ in OutboxKey.random() }
    let winners = await withTaskGroup(of: Bool.self) { group in
      for key in keys {
        group.addTask {
          let error = await self.failure(key)
          #expect(error == nil || error?.code == .wrongKey)
          return error == nil
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(winners == 1)
    #expect(harness.fileNames.isEmpty)
  }
}
