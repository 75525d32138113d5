import ErrandCore
import Foundation
import Testing

@testable import ErrandOutbox

@Suite struct FailedCommitTests {
  private struct Refused: Error {}
  private let lab: StorageLab

  init() throws { lab = try StorageLab() }

  private func draft() throws -> RowDraft {
    let file = try lab.file("\(UUID())", .seeded(100))
    return RowDraft(id: .new(), request: .put("https://example.com", .file(file)), key: UUID().uuidString)
  }

  @Test func `what the store refuses leaves no file behind`() async throws {
    let drafts = [try draft(), try draft()]
    await #expect(throws: Refused.self) {
      try await lab.storage().store(
        drafts, used: { _ in [] },
        commit: { _ in
          #expect(lab.fileNames.count == 2)
          throw Refused()
        })
    }
    #expect(lab.fileNames.isEmpty)
  }

  @Test func `if one request cannot be stored, no file of the others is left behind`() async throws {
    let gone = RowDraft(
      id: .new(), request: .put("https://example.com", .file(lab.url("missing"))), key: UUID().uuidString)
    let error = await #expect(throws: OutboxError.self) {
      try await lab.storage().store(
        [draft(), gone], used: { _ in [] }, commit: { _ in Issue.record("they were about to be stored") })
    }
    #expect(error?.code == .fileUnreadable)
    #expect(lab.fileNames.isEmpty)
  }

  @Test func `what is stored a second time under its name leaves nothing of the second time behind`()
    async throws
  {
    let id = OutboxID.new()
    let file = try lab.file("f", .seeded(100))
    let draft = RowDraft(id: id, request: .put("https://example.com", .file(file)), key: UUID().uuidString)
    var first: [String] = []
    for _ in 1...3 {
      try await lab.storage().store(
        [draft], used: { Set(first).intersection($0) },
        commit: { rows in
          // A store skips what it has.
          if first.isEmpty { first = rows[0].files }
        })
      #expect(lab.fileNames == first)
    }
  }

  @Test func `what was stored although the store failed to say so keeps its files`() async throws {
    let drafts = [try draft(), try draft()]
    let stored = Locked<[String]>([])
    await #expect(throws: Refused.self) {
      try await lab.storage().store(
        drafts, used: { Set($0.filter(stored.withLock { $0 }.contains)) },
        commit: { rows in
          stored.withLock { $0 = rows[0].files }
          throw Refused()
        })
    }
    #expect(lab.fileNames == stored.withLock { $0 })
  }

  @Test func `if it cannot be known whether it was stored, its files stay until they are swept`() async throws
  {
    let drafts = [try draft()]
    await #expect(throws: Refused.self) {
      try await lab.storage().store(drafts, used: { _ in throw Refused() }, commit: { _ in throw Refused() })
    }
    #expect(lab.fileNames.count == 1)
    #expect(try await lab.storage().folder.sweep { _ in [] }.count == 1)
  }
}
