import ErrandCore
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

/// SQLite's "WAL-reset bug" requires a writer that restarts the log while another connection checkpoints it.
@Suite struct CheckpointTests {
  private let folder = StoreTestFolder()

  private func logLength() throws -> Int {
    try Data(contentsOf: URL(filePath: folder.database.path + "-wal")).count
  }

  @Test func `the log is not checkpointed while another connection writes`() throws {
    let session = try folder.session()
    let add = StoreOperation(isWrite: true) {
      try $0.add((0..<200).map { .sample("\($0)", size: 900) }, within: OutboxCaps(), at: .sample)
    } receive: { result in
      #expect(throws: Never.self) { try result.get() }
    }
    session.perform([add]) { $0() }
    let (writer, mover) = (try folder.connect(), try folder.connect())
    defer { for one in [writer, mover] { one.close() } }
    let before = try Data(contentsOf: folder.database)
    try writer.begin()
    #expect(!mover.checkpoint())
    let during = try Data(contentsOf: folder.database)
    #expect(during == before)
    writer.rollback()
    #expect(mover.checkpoint())
    let after = try Data(contentsOf: folder.database)
    #expect(after != before)
    session.close(isGraceful: true)
  }

  @Test(.computesLong) func `a checkpointed log restarts, and does not grow`() throws {
    let session = try folder.session()
    var lengths: [Int] = []
    for round in 0..<4 {
      for number in 0..<30 {
        let add = StoreOperation(isWrite: true) {
          try $0.add(
            [.sample("\(round) \(number)", size: 200_000)], within: OutboxCaps(), at: .sample)
        } receive: { result in
          #expect(throws: Never.self) { try result.get() }
        }
        session.perform([add]) { $0() }
        session.tidyUp()
      }
      lengths.append(try logLength())
    }
    #expect(lengths.max() ?? 0 < 10_000_000)
    session.close(isGraceful: true)
  }
}
