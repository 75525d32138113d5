import ErrandOutbox

extension Database {
  private static let begin = Query("BEGIN IMMEDIATE")
  private static let beginReading = Query("BEGIN")
  private static let commit = Query("COMMIT")
  private static let rollback = Query("ROLLBACK")
  private static let mark = Query("SAVEPOINT operation")
  private static let keep = Query("RELEASE operation")
  private static let undo = Query("ROLLBACK TO operation")

  /// Begins a write transaction, after waiting until no other connection writes.
  func begin() throws(OutboxError) { try run(Self.begin) }

  /// Begins a read transaction: until `endReading` every statement sees the file as the first statement saw
  /// it.
  func beginReading() throws(OutboxError) { try run(Self.beginReading) }

  func endReading() { rollback() }

  /// Commits the transaction. When it returns, all changes since `begin` are on the disk.
  func commit() throws(OutboxError) {
    try run(Self.commit)
    noteCommit()
  }

  /// Undoes all changes since `begin`, unless SQLite has done so already.
  func rollback() {
    if isInTransaction { try? run(Self.rollback) }
  }

  /// Runs `body` in a transaction, which is rolled back if `body` throws.
  func transaction<Value>(_ body: () throws -> Value) throws -> Value {
    try begin()
    do {
      let value = try body()
      try commit()
      return value
    } catch {
      rollback()
      throw error
    }
  }

  /// Begins a part of a transaction that can be undone separately.
  func beginPart() throws(OutboxError) { try run(Self.mark) }

  func keepPart() throws(OutboxError) { try run(Self.keep) }

  func undoPart() throws(OutboxError) {
    try run(Self.undo)
    try run(Self.keep)
  }
}
