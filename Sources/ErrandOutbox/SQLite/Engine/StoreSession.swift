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
  /// True after the disk was full, until the log has been moved to the file: from then on the log has room of its own.
  private var isShortOfDisk = false

  init(_ database: Database, owners: any OwnerRegistry, doorbell: any Doorbell, commits: Counter) {
    self.database = database
    self.doorbell = doorbell
    self.commits = commits
    tables = OutboxTables(database, owners: owners)
    database.followLog()
    if let claimants = try? tables.claimants() { owners.tidy(keeping: claimants) }
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
    let reads = operations.filter { !$0.isWrite }
    if !reads.isEmpty { read(reads) }
    for operation in reads { tell(operation) }
  }

  /// All of them see the same state of the file, however many statements each takes.
  private func read(_ operations: [StoreOperation]) {
    defer { database.endReading() }
    for operation in operations {
      do {
        // After some failures SQLite has ended the transaction.
        if !database.isInTransaction {
          try database.beginReading()
          try database.checkVersion()
        }
        operation.perform(on: tables)
      } catch {
        operation.fail(error)
      }
    }
  }

  /// One transaction. What throws is undone alone; if the transaction cannot be committed everything is.
  private func commit(_ operations: ArraySlice<StoreOperation>) {
    do {
      // Parts that can be undone alone cost as much as what is in them, and hardly one is ever undone.
      if try !performAll(operations, inParts: false) {
        undo()
        _ = try performAll(operations, inParts: true)
      }
    } catch {
      undo()
      if (error as? OutboxError)?.code == .diskFull { isShortOfDisk = true }
      for operation in operations { operation.fail(error) }
    }
  }

  /// - Returns: False if one has failed that has to be undone alone, and cannot be.
  private func performAll(_ operations: ArraySlice<StoreOperation>, inParts: Bool) throws -> Bool {
    Failpoint.hit(.beforeBegin)
    try database.begin()
    Failpoint.hit(.afterBegin)
    try tables.begin()
    for operation in operations {
      if inParts { try beginPart() }
      let isIntact = perform(operation)
      // After some failures, such as that of a full disk, SQLite has undone everything.
      if let failure = operation.failure, operations.count == 1 || !database.isInTransaction { throw failure }
      if inParts { try isIntact ? database.keepPart() : undoPart() } else if !isIntact { return false }
    }
    try tables.end()
    try database.checkInPlace()
    Failpoint.hit(.beforeCommit)
    try database.commit()
    commits.add()
    Failpoint.hit(.afterCommit)
    return true
  }

  /// - Returns: False if it has failed after it had changed something.
  private func perform(_ operation: StoreOperation) -> Bool {
    Failpoint.hit(.beforeOperation)
    let changes = database.changesInAll
    operation.perform(on: tables)
    Failpoint.hit(.afterOperation)
    return operation.failure == nil || database.changesInAll == changes
  }

  private func beginPart() throws {
    try database.beginPart()
    tables.beginPart()
  }

  private func undoPart() throws {
    try database.undoPart()
    tables.forgetPart()
  }

  private func undo() {
    database.rollback()
    tables.forget()
  }

  /// What may wait until callers have gone on.
  func tidyUp() {
    let isDue = database.logPages >= Self.checkpointPages
    guard isDue || (isShortOfDisk && database.hasRoomForLog) else { return }
    if database.checkpoint() { isShortOfDisk = false }
  }

  /// Whether something was done since it was asked last that others may want to know of.
  func takeNews() -> Bool {
    defer { tables.hasNews = false }
    return tables.hasNews
  }

  /// - Parameter isGraceful: False to go as a process does that dies: without giving anything back.
  func close(isGraceful: Bool) {
    if isGraceful {
      let isGivenBack: Void? = try? database.transaction {
        try tables.begin()
        try tables.giveBackAll()
        try tables.end()
      }
      if takeNews() { doorbell.ring() }
      if isGivenBack != nil { tables.owners.leaveNothing() }
      database.checkpoint()
    } else {
      database.leaveAsItIs()
    }
    doorbell.close()
    database.close()
    tables.owners.leave()
  }
}
