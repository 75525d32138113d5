import ErrandCore
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox

@Suite struct FailedCommitTests {
  private struct Refused: Error {}
  private let harness: StorageHarness

  init() throws { harness = try StorageHarness() }

  private func item() throws -> OutboxItem {
    let file = try harness.file("\(UUID())", .seeded(100))
    return OutboxItem(id: .new(), request: .put("https://example.com", .file(file)), key: UUID().uuidString)
  }

  @Test func `a request that the store refuses leaves no file behind`() async throws {
    let items = [try item(), try item()]
    await #expect(throws: Refused.self) {
      try await harness.storage().store(
        items, used: { _ in [] },
        commit: { _ in
          #expect(harness.fileNames.count == 2)
          throw Refused()
        })
    }
    #expect(harness.fileNames.isEmpty)
  }

  @Test func `a request that cannot be stored leaves no file of the others behind`() async throws {
    let gone = OutboxItem(
      id: .new(), request: .put("https://example.com", .file(harness.url("missing"))), key: UUID().uuidString)
    let error = await #expect(throws: OutboxError.self) {
      try await harness.storage().store(
        [item(), gone], used: { _ in [] }, commit: { _ in Issue.record("they were about to be stored") })
    }
    #expect(error?.code == .fileUnreadable)
    #expect(harness.fileNames.isEmpty)
  }

  @Test func `storing a request again under its ID leaves no second file behind`()
    async throws
  {
    let id = OutboxID.new()
    let file = try harness.file("f", .seeded(100))
    let item = OutboxItem(id: id, request: .put("https://example.com", .file(file)), key: UUID().uuidString)
    var first: [String] = []
    for _ in 1...3 {
      try await harness.storage().store(
        [item], used: { Set(first).intersection($0) },
        commit: { rows in
          // A store skips rows that it already has.
          if first.isEmpty { first = rows[0].files }
        })
      #expect(harness.fileNames == first)
    }
  }

  @Test func `a row that was stored although the commit threw keeps its files`() async throws {
    let items = [try item(), try item()]
    let stored = Locked<[String]>([])
    await #expect(throws: Refused.self) {
      try await harness.storage().store(
        items, used: { Set($0.filter(stored.withLock { $0 }.contains)) },
        commit: { rows in
          stored.withLock { $0 = rows[0].files }
          throw Refused()
        })
    }
    #expect(harness.fileNames == stored.withLock { $0 })
  }

  @Test func `files remain until the sweep if it is unknown whether their row was stored`() async throws {
    let items = [try item()]
    await #expect(throws: Refused.self) {
      try await harness.storage().store(
        items, used: { _ in throw Refused() }, commit: { _ in throw Refused() })
    }
    #expect(harness.fileNames.count == 1)
    #expect(try await harness.storage().blobs.sweep { _ in [] }.count == 1)
  }
}
