import BenchmarkSupport
import Dispatch
import PlainSQLite

/// Plain SQLite with a transaction for each row, on the caller's thread or on a queue, as in a program without
/// an outbox.
// This is safe to share, because the benchmark uses it from one task.
final class PlainDatabase: @unchecked Sendable {
  private let database: OpaquePointer
  private let queue = DispatchQueue(label: "plain")

  init(_ path: String, bytes: Int) throws {
    guard let database = plain_sqlite_open(path, Int32(bytes)) else {
      throw Arguments.Wrong(description: "SQLite cannot create \(path)")
    }
    self.database = database
  }

  deinit { plain_sqlite_close(database) }

  func commit() throws {
    guard plain_sqlite_commit(database) != 0 else {
      throw Arguments.Wrong(description: "SQLite cannot add a row")
    }
  }

  func queuedCommit() async throws {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try self.commit() }) }
    }
  }
}
