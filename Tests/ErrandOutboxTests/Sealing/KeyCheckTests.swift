import ErrandCore
import Foundation
import Testing

@testable import ErrandOutbox

@Suite struct KeyCheckTests {
  private let lab: StorageLab
  private let key = OutboxKey.random()

  init() throws { lab = try StorageLab() }

  private var file: URL { lab.outbox.appending(path: "key-check") }

  private func failure(_ key: OutboxKey?) async -> OutboxError? {
    do {
      try await lab.storage(key).open()
      return nil
    } catch {
      return error as? OutboxError
    }
  }

  @Test func `an outbox without a key leaves no trace of one`() async throws {
    try await lab.storage().open()
    #expect(!FileManager.default.fileExists(atPath: lab.outbox.path))
  }

  @Test func `the key that it was sealed with opens it again, and nothing else does`() async throws {
    for _ in 1...2 { try await lab.storage(key).open() }
    #expect(lab.fileNames.isEmpty)
    for other in [nil, OutboxKey.random()] {
      let error = await failure(other)
      #expect(error?.code == .wrongKey)
      #expect(error?.message.contains("open it with the key it had") == true)
    }
    try await lab.storage(key).open()
  }

  @Test
  func `an outbox that was not sealed takes a key later, and reads what it had before if it is told to`()
    async throws
  {
    let file = try lab.file("f", .seeded(100_000))
    let rows = [
      try await lab.row(.post("https://example.com", .text("plain"))),
      try await lab.row(.post("https://example.com", .file(file))),
    ]
    let refusal = await #expect(throws: OutboxError.self) {
      try await lab.storage(key).open { rows.map(\.stored) }
    }
    #expect(refusal?.code == .wrongKey && refusal?.message.contains("acceptsPlaintext") == true)
    let telling = lab.storage(key, acceptsPlaintext: true)
    try await telling.open { rows.map(\.stored) }
    for row in rows {
      let request = try telling.request(from: row.content, of: row.id)
      #expect(try await request.bodyBytes() == (row.files.isEmpty ? Data("plain".utf8) : .seeded(100_000)))
      #expect(try telling.summary(of: row.stored).method == .post)
    }
    #expect(await failure(nil)?.code == .wrongKey)
  }

  @Test func `a sealed outbox takes nothing that is not sealed`() async throws {
    let early = lab.storage()
    try await early.open()
    let row = try await lab.row(.post("https://example.com", .text("forged")))
    try await lab.storage(key).open()
    let error = #expect(throws: OutboxError.self) { try lab.request(row, key: key) }
    #expect(error?.code == .wrongKey)
    #expect(throws: OutboxError.self) { try lab.storage(key).summary(of: row.stored) }
    #expect(throws: OutboxError.self) {
      try lab.storage(key).answer(early.wrapped(answer: Data(), of: row.id), of: row.id)
    }
    // One that was opened before there was a key, and lives still.
    let late = await #expect(throws: OutboxError.self) {
      _ = try await lab.row(.post("https://example.com", .text("late")))
    }
    #expect(late?.code == .wrongKey)
  }

  @Test func `a damaged check is not taken for a wrong key`() async throws {
    try await lab.storage(key).open()
    let whole = try Data(contentsOf: file)
    for damaged in [Data(), whole.prefix(10), whole.flipping(whole.count * 8 - 1)] {
      try damaged.write(to: file)
      let error = await failure(key)
      #expect(error?.code == .damaged)
      #expect(error?.message.contains(file.path) == true)
    }
    try FileManager.default.removeItem(at: file)
    try await lab.storage(key).open()
  }

  @Test func `of many that open it first with different keys, one wins`() async throws {
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
    #expect(lab.fileNames.isEmpty)
  }
}
