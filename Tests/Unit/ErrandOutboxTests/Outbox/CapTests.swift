import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

/// Caps limit the space on the disk, whatever uses it.
@Suite(.timeLimit(.minutes(1))) struct CapTests {
  private let harness: OutboxHarness

  init() throws { harness = try OutboxHarness() }

  /// Returns the size of all files in the folder, in bytes.
  private func bytesOnDisk() throws -> Int {
    let files = FileManager.default.enumerator(at: harness.folder, includingPropertiesForKeys: [.fileSizeKey])
    var sum = 0
    for case let file as URL in try #require(files) {
      sum += try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    }
    return sum
  }

  @Test func `files of expired requests are removed to make room for new ones`()
    async throws
  {
    let file = harness.folder.appendingPathExtension("source")
    try Data.seeded(1_000_000).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let outbox = try await harness.outbox {
      $0.delivers = false
      $0.caps.bytes = 3_000_000
    }
    for _ in 0..<8 {
      try await outbox.enqueue(.put(harness.server.url("/"), .file(file)), expires: .milliseconds(1))
      try await waitUntil {
        // A claim marks the requests that have expired.
        _ = try await outbox.store.claim(0, for: .seconds(1))
        return try await outbox.statistics().counts[.stored, default: 0] == 0
      }
    }
    #expect(try bytesOnDisk() < 4_500_000)
    #expect(try await outbox.statistics().bytesInAll <= 3_000_000)
    #expect(try await outbox.statistics().counts[.expired, default: 0] < 3)
    await outbox.close()
  }

  @Test func `stored responses are removed to make room for new requests`() async throws {
    harness.server.otherwise { _ in .response(body: Data(count: 60_000)) }
    let outbox = try await harness.outbox { $0.caps.bytes = 1_000_000 }
    for number in 0..<60 { try await outbox.enqueue(.post(harness.server.url("/\(number)"))) }
    try await outbox.waitUntilEmpty()
    try await outbox.enqueue(.post(harness.server.url("/last")))
    try await outbox.waitUntilEmpty()
    let statistics = try await outbox.statistics()
    #expect(statistics.bytesInAll <= 1_100_000 && statistics.counts[.delivered, default: 0] >= 10)
    await outbox.close()
  }

  @Test func `a file beyond the caps is refused before it is copied`() async throws {
    let file = harness.folder.appendingPathExtension("source")
    try Data().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    // A sparse file of 1 TiB: it takes space only when it is copied.
    #expect(truncate(file.path, 1 << 40) == 0)
    for rule in [OutboxCaps.Rule.refuse, .dropOldest] {
      let outbox = try await harness.outbox {
        $0.delivers = false
        $0.caps.whenFull = rule
      }
      let error = await #expect(throws: OutboxError.self) {
        try await outbox.enqueue(.put(harness.server.url("/"), .file(file)))
      }
      #expect(error?.code == .full)
      await outbox.close()
    }
  }

  @Test(.computesLong) func `a database of schema version 2 is counted again`() async throws {
    let folder = StoreTestFolder()
    try folder.make()
    let database = try folder.connect()
    try database.execute("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL")
    for migration in Migration.all.prefix(2) { try database.execute(migration.sql) }
    for state in 0...5 {
      try database.execute(
        """
        INSERT INTO requests(seq, id, holds, priority, state, head, created, changed, size, files, summary, answer)
        VALUES (\(state + 1), '\(state)', 0, 0, \(state), NULL, 5, 5, 1000, 0, x'00',
          iif(\(state) IN (2, 3), x'010203', NULL));
        UPDATE totals SET count = 1, bytes = 1000 WHERE state = \(state);
        """)
    }
    try database.execute("INSERT INTO answers VALUES (3, zeroblob(5000))")
    try database.execute("UPDATE requests SET answer = NULL WHERE seq = 3")
    try database.execute("PRAGMA application_id = 0x45524E44; PRAGMA user_version = 2")
    database.close()
    let store = try await folder.open()
    let statistics = try await store.statistics()
    #expect(statistics.bytes == 3003)
    #expect(statistics.bytesInAll == 3003 + 5512 + 1512 + 512)
    await store.close()
  }
}
