import Foundation
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

@Suite struct MigrationTests {
  private let folder = StoreTestFolder()

  /// Creates a file of version 1 with a stored, a delivered and an expired request.
  private func makeFirstVersion() throws {
    try folder.make()
    let database = try folder.connect()
    try database.execute("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL")
    try database.execute(Migration.all[0].sql)
    for (sequence, state) in [(1, 0), (2, 2), (3, 4)] {
      try database.execute(
        """
        INSERT INTO requests(seq, id, holds, priority, state, head, created, changed, size, files, summary)
        VALUES (\(sequence), '\(sequence)', 0, 0, \(state), iif(\(state) = 0, 1, NULL), 5, \(10 * sequence), 7, 0, x'00');
        UPDATE totals SET count = 1, bytes = 7 WHERE state = \(state)
        """)
    }
    try database.execute("PRAGMA application_id = 0x45524E44; PRAGMA user_version = 1")
    database.close()
  }

  @Test func `a file of version 1 is migrated with everything in it`() async throws {
    try makeFirstVersion()
    let store = try await folder.open()
    #expect(try await store.names() == ["1", "2", "3"])
    #expect(try await store.statistics().counts == [.stored: 1, .delivered: 1, .expired: 1])
    let over = OutboxSelection(states: [.delivered, .expired])
    #expect(try await store.list(over, after: 0, limit: 10).map(\.id.rawValue) == ["2", "3"])
    _ = try await store.prune(olderThan: .milliseconds(StoreTime.sample.wall - 20))
    #expect(try await store.names() == ["1", "3"])
    #expect(try await store.retry(over).map(\.id.rawValue) == ["3"])
    _ = try await store.prune(olderThan: .zero)
    #expect(try await store.names() == ["1", "3"])
    await store.close()
  }
}
