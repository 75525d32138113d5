import CSQLite
import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A connection to an SQLite file. Only one thread may use it at a time, and all methods block.
final class Database {
  let path: String
  let vfs: String?
  let handle: OpaquePointer
  /// How long a transaction waits for a transaction of another connection.
  let busyTimeout: Duration
  private var statements: [ObjectIdentifier: Statement] = [:]
  private var isOpen = true
  /// SQLite's data version at this connection's last commit.
  private var committedVersion: UInt32?
  /// The number of pages in the write-ahead log at the last commit; updated once `followLog` was called.
  var logPages = 0
  /// The file has space for this many pages, and for some bytes more; nil if that is not known.
  var knownRoom: (pages: Int64, spare: Int64)?

  /// Opens the file, or creates it.
  /// - Parameter vfs: The name of the layer between SQLite and the disk; nil for the system's layer.
  init(path: String, vfs: String? = nil, busyTimeout: Duration) throws(OutboxError) {
    self.path = path
    self.vfs = vfs
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
    let code = sqlite3_open_v2(path, &handle, flags, vfs)
    guard let handle else { throw OutboxError(.failed, "the process has no memory left to open \(path)") }
    guard code == SQLITE_OK else {
      let error = OutboxError(of: handle, code, path: path)
      sqlite3_close_v2(handle)
      throw error
    }
    self.handle = handle
    self.busyTimeout = busyTimeout
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, Int32(clamping: busyTimeout.wholeMilliseconds))
  }

  deinit { close() }

  func close() {
    guard isOpen else { return }
    isOpen = false
    statements = [:]
    sqlite3_close_v2(handle)
  }

  /// Makes `close` leave the file unchanged, even if the write-ahead log has contents.
  func leaveAsItIs() { _ = errand_sqlite_leave_log(handle) }

  func failure(_ code: Int32) -> OutboxError { OutboxError(of: handle, code, path: path) }

  /// The number of rows that the last statement changed, without rows that its triggers changed.
  var changes: Int { Int(sqlite3_changes(handle)) }
  /// The number of rows that were changed since the connection was opened.
  var changesInAll: Int { Int(sqlite3_total_changes(handle)) }
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }
  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  // MARK: Other connections

  /// False if no other connection has changed the file between this connection's last commit and the current
  /// transaction.
  var mayHaveForeignChange: Bool { committedVersion == nil || committedVersion != version }

  /// Notes the data version. Call it after each commit of this connection.
  func noteCommit() { committedVersion = version }

  /// SQLite's data version, which changes with the file; nil if SQLite does not report it.
  private var version: UInt32? {
    var version: UInt32 = 0
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    return code == SQLITE_OK ? version : nil
  }

  /// Checks that the file is still at its path.
  /// - Throws: `.notWritable` if it was removed or moved, because new writes would be lost with it.
  func checkInPlace() throws(OutboxError) {
    var hasMoved: Int32 = 0
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    guard code == SQLITE_OK, hasMoved != 0 else { return }
    throw OutboxError(
      .notWritable,
      "\(path) was removed or moved while it was open, so no request is stored in it any more: put it back and open it "
        + "again, or open an empty outbox")
  }

  // MARK: Statements

  private func statement(_ query: Query) throws(OutboxError) -> Statement {
    if let statement = statements[ObjectIdentifier(query)] { return statement }
    let statement = try Statement(query.sql, on: self, isKept: true)
    statements[ObjectIdentifier(query)] = statement
    return statement
  }

  func run(_ query: Query, _ values: [SQLValue] = []) throws(OutboxError) {
    let statement = try statement(query)
    defer { statement.reset() }
    try statement.bind(values)
    while try statement.step() {}
  }

  /// Runs a statement whose last parameter is these bytes, which are not copied; nil for null.
  func run(_ query: Query, _ values: [SQLValue], bytes: Data?) throws {
    guard let bytes else { return try run(query, values + [.null]) }
    let statement = try statement(query)
    try statement.bind(values)
    try bytes.withUnsafeBytes { bytes in
      defer { statement.reset() }
      try statement.bind(lasting: bytes, at: Int32(values.count + 1))
      while try statement.step() {}
    }
  }

  func all<Value>(
    _ query: Query, _ values: [SQLValue] = [], _ read: (Statement) throws -> Value
  ) throws -> [Value] {
    try all(statement(query), values, read)
  }

  /// Returns all rows of a statement that is too rare to be cached.
  func all<Value>(
    sql: String, _ values: [SQLValue] = [], _ read: (Statement) throws -> Value
  ) throws -> [Value] {
    try all(Statement(sql, on: self, isKept: false), values, read)
  }

  private func all<Value>(
    _ statement: Statement, _ values: [SQLValue], _ read: (Statement) throws -> Value
  ) throws -> [Value] {
    defer { statement.reset() }
    try statement.bind(values)
    var results: [Value] = []
    while try statement.step() { results.append(try read(statement)) }
    return results
  }

  /// Reads rows one after the other, until `read` returns false.
  func each(
    _ query: Query, _ values: [SQLValue] = [], _ read: (Statement) throws -> Bool
  ) throws {
    let statement = try statement(query)
    defer { statement.reset() }
    try statement.bind(values)
    while try statement.step(), try read(statement) {}
  }

  /// Returns the first row, without reading the others.
  func first<Value>(
    _ query: Query, _ values: [SQLValue] = [], _ read: (Statement) throws -> Value
  ) throws -> Value? {
    let statement = try statement(query)
    defer { statement.reset() }
    try statement.bind(values)
    return try statement.step() ? read(statement) : nil
  }

  /// Returns the first column of the first row; nil if the query has no row, or if the column is null.
  func integer(_ query: Query, _ values: [SQLValue] = []) throws -> Int64? {
    try first(query, values) { $0.optionalInteger(0) } ?? nil
  }

  func exists(_ query: Query, _ values: [SQLValue] = []) throws -> Bool {
    try first(query, values) { _ in true } ?? false
  }

  /// Runs statements without parameters.
  func execute(_ sql: String) throws(OutboxError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code) }
  }
}
