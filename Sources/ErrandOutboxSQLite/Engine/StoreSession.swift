import ErrandCore
import ErrandOutbox

/// A connection with its tables, which runs operations in transactions. Only one thread may use it at a time,
/// and all methods block.
final class StoreSession {
  /// The most operations that share a transaction.
  private static let mostPerCommit = 256
  /// The most requests that the operations of a transaction add together.
  private static let mostRowsPerCommit = 512

  let tables: OutboxTables
  private let database: Database
  let notifier: any ChangeNotifier
  /// Counts the committed transactions.
  let commits: Counter
  private let reserve: DiskReserve
  private var isLogReserved = false
  /// The most finished rows that are forgotten at once to make room for deliveries.
  private static let mostForgotten = 50
  private static let mostForgettings = 10

  init(
    _ database: Database, owners: any LivenessRegistry, notifier: any ChangeNotifier,
    time: @escaping @Sendable () -> StoreTime = { .now() }, commits: Counter
  ) {
    self.database = database
    self.notifier = notifier
    self.commits = commits
    tables = OutboxTables(database, owners: owners, time: time)
    reserve = DiskReserve(disk: database.diskSize, pageSize: (try? database.pageSize()) ?? 4096)
    database.followLog()
    // On a full disk this fails, but deliveries may still find space.
    try? reserveLog()
    if let claimants = try? tables.claimants() { owners.tidy(keeping: claimants) }
  }

  /// Runs operations: reads first, because they commit nothing, and because a request is sent only after one
  /// (`OutboxStore.begin`). Then writes, in as few transactions as possible.
  /// - Parameter tell: Called with the reply of each operation that is done.
  func perform(_ operations: [StoreOperation], tell: (@escaping StoreOperation.Reply) -> Void) {
    let reads = operations.filter { !$0.isWrite }
    if !reads.isEmpty { for reply in read(reads) { tell(reply) } }
    let writes = operations.filter(\.isWrite)
    // Deliveries do not wait for new requests, because they come first.
    var rest = (writes.filter { $0.newRows == 0 } + writes.filter { $0.newRows > 0 })[...]
    while !rest.isEmpty {
      let together = Self.group(of: rest)
      for reply in commit(together) { tell(reply) }
      rest = rest.dropFirst(together.count)
    }
  }

  /// Returns the first operations that share a transaction. The number of new requests in each transaction is
  /// limited, so that operations that arrive meanwhile wait only for a short time.
  private static func group(of operations: ArraySlice<StoreOperation>) -> ArraySlice<StoreOperation> {
    var rows = 0
    let group = operations.prefix(mostPerCommit).prefix { operation in
      rows += operation.newRows
      return rows <= mostRowsPerCommit
    }
    // One operation may add more rows, because it is not divided.
    return group.isEmpty ? operations.prefix(1) : group
  }

  /// Runs reads in one transaction: all of them see the same state of the file, even with several statements
  /// each.
  private func read(_ operations: [StoreOperation]) -> [StoreOperation.Reply] {
    defer { database.endReading() }
    return operations.map { operation in
      do {
        // After some failures SQLite has ended the transaction.
        if !database.isInTransaction {
          try database.beginReading()
          try database.checkVersion()
        }
        return try operation.run(tables)
      } catch {
        return operation.failure(error)
      }
    }
  }

  /// Runs writes in one transaction. An operation that throws is undone separately. If the commit fails, all
  /// are undone. If the disk is full, deliveries get space before new requests do.
  private func commit(_ operations: ArraySlice<StoreOperation>) -> [StoreOperation.Reply] {
    do {
      return try performAll(operations)
    } catch {
      guard Self.isDiskFull(error) else { return operations.map { $0.failure(error) } }
      // A log that was moved restarts in the space that it has.
      if moveLog(), let replies = try? performAll(operations) { return replies }
      guard operations.count == 1, let operation = operations.first else {
        return operations.indices.flatMap { commit(operations[$0...$0]) }
      }
      guard operation.newRows == 0 else { return [operation.failure(error)] }
      return [performMakingRoom(operation) ?? operation.failure(error)]
    }
  }

  private static func isDiskFull(_ error: any Error) -> Bool { (error as? OutboxError)?.code == .diskFull }

  /// Runs a delivery's write on a full disk: deletes finished rows, the oldest first, until the write
  /// succeeds.
  /// - Returns: The reply; nil if deleting several groups of rows did not free enough space. The other rows
  ///   then stay.
  private func performMakingRoom(_ operation: StoreOperation) -> StoreOperation.Reply? {
    let forgetting = StoreOperation(isWrite: true) { tables in
      guard try tables.forgetSome(Self.mostForgotten) else { throw OutboxError(.full, "no row has ended") }
    } receive: { _ in
    }
    for _ in 0..<Self.mostForgettings {
      moveLog()
      guard (try? performAll([forgetting])) != nil else { return nil }
      if let reply = try? performAll([operation]).first { return reply }
    }
    return nil
  }

  /// Runs writes in one transaction.
  private func performAll(_ operations: ArraySlice<StoreOperation>) throws -> [StoreOperation.Reply] {
    do {
      // Runs without savepoints first, because they cost as much as the operations in them, and are hardly
      // ever needed.
      if let replies = try performAll(operations, inParts: false) { return replies }
      undo()
      return try performAll(operations, inParts: true) ?? []
    } catch {
      undo()
      throw error
    }
  }

  /// Runs writes in one transaction, and commits it.
  /// - Parameter inParts: True to put each operation in a savepoint, so that it can be undone separately.
  /// - Returns: The replies; nil if an operation failed that has to be undone separately, without savepoints.
  private func performAll(
    _ operations: ArraySlice<StoreOperation>, inParts: Bool
  ) throws -> [StoreOperation.Reply]? {
    Failpoint.hit(.beforeBegin)
    try database.begin()
    Failpoint.hit(.afterBegin)
    try tables.begin()
    var replies: [StoreOperation.Reply] = []
    for operation in operations {
      if inParts { try beginPart() }
      let changes = database.changesInAll
      Failpoint.hit(.beforeOperation)
      let result = Result { try operation.run(tables) }
      Failpoint.hit(.afterOperation)
      switch result {
      case .success(let reply):
        if inParts { try database.keepPart() }
        replies.append(reply)
      case .failure(let error):
        // After some failures, such as a full disk, SQLite has undone the whole transaction.
        if operations.count == 1 || !database.isInTransaction || Self.isDiskFull(error) { throw error }
        let isIntact = database.changesInAll == changes
        if inParts { try isIntact ? database.keepPart() : undoPart() } else if !isIntact { return nil }
        replies.append(operation.failure(error))
      }
    }
    try tables.end()
    try database.checkInPlace()
    try reserveRoom(operations)
    Failpoint.hit(.beforeCommit)
    try database.commit()
    commits.add()
    Failpoint.hit(.afterCommit)
    return replies
  }

  /// Reserves disk space for the pages of this transaction, and for deliveries if it adds requests.
  private func reserveRoom(_ operations: ArraySlice<StoreOperation>) throws {
    let addsRows = operations.contains { $0.newRows > 0 }
    if addsRows { try reserveLog() }
    try database.reservePages(addsRows ? reserve.fileBytes : 0)
  }

  private func reserveLog() throws {
    guard !isLogReserved else { return }
    try database.reserveLog(reserve.logBytes)
    isLogReserved = true
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

  /// Does maintenance that may wait until the callers have their outcomes: moves the log to the file if it is
  /// long enough.
  func tidyUp() {
    if database.logPages >= reserve.logPages { moveLog() }
  }

  @discardableResult
  private func moveLog() -> Bool { database.checkpoint(keeping: reserve.fileBytes) }

  /// Returns true if a change was made since the last call that other processes may want to know of.
  func takeNews() -> Bool {
    defer { tables.hasNews = false }
    return tables.hasNews
  }

  /// Closes the session.
  /// - Parameter isGraceful: False to end as if the process had crashed, without returning the claims.
  func close(isGraceful: Bool) {
    if isGraceful {
      let isGivenBack: Void? = try? database.transaction {
        try tables.begin()
        try tables.giveBackAll()
        try tables.end()
      }
      if takeNews() { notifier.ring() }
      if isGivenBack != nil { tables.owners.leaveNothing() }
      database.checkpoint()
    } else {
      database.leaveAsItIs()
    }
    notifier.close()
    database.close()
    tables.owners.leave()
  }
}
