import ErrandCore

/// A connection with its tables, and how its transactions go. For one thread at a time; everything blocks.
final class StoreSession {
  /// The pages of the write-ahead log after which they are moved to the file.
  private static let checkpointPages = 2000
  /// So many operations share a transaction at most.
  private static let mostPerCommit = 256

  let tables: OutboxTables
  private let database: Database
  let doorbell: any Doorbell
  /// Transactions that have been committed.
  let commits: Counter

  init(_ database: Database, owners: any OwnerRegistry, doorbell: any Doorbell, commits: Counter) {
    self.database = database
    self.doorbell = doorbell
    self.commits = commits
    tables = OutboxTables(database, owners: owners)
    database.followLog()
  }

  /// Carries these out: what writes first, in as few transactions as may be.
  /// - Parameter tell: Is handed what is done, and may be told to its caller.
  func perform(_ operations: [StoreOperation], tell: (StoreOperation) -> Void) {
    var writes = operations.filter(\.isWrite)[...]
    while !writes.isEmpty {
      let together = writes.prefix(Self.mostPerCommit)
      commit(together)
      for operation in together { tell(operation) }
      writes = writes.dropFirst(together.count)
    }
    for operation in operations where !operation.isWrite {
      operation.perform(on: tables)
      tell(operation)
    }
  }

  /// One transaction. What throws is undone alone; if the transaction cannot be committed everything is.
  private func commit(_ operations: ArraySlice<StoreOperation>) {
    do {
      Failpoint.hit(.beforeBegin)
      try database.begin()
      Failpoint.hit(.afterBegin)
      for operation in operations { try perform(operation, isAlone: operations.count == 1) }
      Failpoint.hit(.beforeCommit)
      try database.commit()
      commits.add()
      Failpoint.hit(.afterCommit)
    } catch {
      database.rollback()
      tables.forget()
      for operation in operations { operation.fail(error) }
    }
  }

  private func perform(_ operation: StoreOperation, isAlone: Bool) throws {
    if !isAlone { try database.beginPart() }
    Failpoint.hit(.beforeOperation)
    operation.perform(on: tables)
    Failpoint.hit(.afterOperation)
    guard let failure = operation.failure else { return isAlone ? () : try database.keepPart() }
    // After some failures, such as that of a full disk, SQLite has undone everything.
    if isAlone || !database.isInTransaction { throw failure }
    try database.undoPart()
    tables.forgetBoot()
  }

  /// What may wait until callers have gone on.
  func tidyUp() {
    if database.logPages >= Self.checkpointPages { database.checkpoint() }
  }

  /// Whether something was done since it was asked last that others may want to know of.
  func takeNews() -> Bool {
    defer { tables.hasNews = false }
    return tables.hasNews
  }

  /// - Parameter isGraceful: False to go as a process does that dies: without giving anything back.
  func close(isGraceful: Bool) {
    if isGraceful {
      try? database.transaction { try tables.giveBackAll() }
      if takeNews() { doorbell.ring() }
      database.checkpoint(truncating: true)
    } else {
      database.leaveAsItIs()
    }
    doorbell.close()
    database.close()
    tables.owners.leave()
  }
}
