import ErrandCore
package import ErrandOutbox
package import Foundation
package import PostgresCluster

/// Lets workers deliver from one database while they are killed, frozen and cut off and the database is
/// restarted, and counts the requests that the receivers got.
package struct FleetCourse: Sendable {
  package struct Settings: Sendable {
    /// The number of requests; a multiple of four, because each writer has the same number.
    package var rows = 100_000
    package var workers = 8
    package var seed: UInt64 = 1
    /// The minimum number of times that each fault happens.
    package var rounds = 3
    /// The number of requests of the rolling restart; a multiple of four.
    package var rollingRows = 4000
    /// The number of writers that enqueue by SQL.
    package var sqlWriters = 0
    /// The wait of a writer after each group.
    package var pace = Duration.zero
    /// The length of a lease, and of the time without a heartbeat after which a worker counts as dead.
    package var lease = Duration.seconds(4)
    /// The time for which PostgreSQL is unavailable.
    package var absence = Duration.seconds(60)
    /// Whether PostgreSQL's clock is set: its cluster must have a separate clock.
    package var setsClock = true
    /// The time within which everything must be delivered after the last fault.
    package var patience = Duration.seconds(600)

    package init() {}
  }

  /// Opens an outbox that only stores.
  package typealias Opener = @Sendable (_ url: String) async throws -> Outbox

  let settings: Settings
  let database: PostgresCluster
  let folder: URL
  let open: Opener
  let progress: @Sendable (String) -> Void
  let record: FleetRecord

  /// - Parameter folder: The folder for the output of workers, and the statements of a writer.
  package init(
    _ settings: Settings, on database: PostgresCluster, in folder: URL,
    progress: @escaping @Sendable (String) -> Void = { _ in }, open: @escaping Opener
  ) {
    self.settings = settings
    self.database = database
    self.folder = folder
    self.open = open
    self.progress = progress
    record = FleetRecord(count: settings.rows + settings.rollingRows)
  }

  package func run() async throws -> FleetReport {
    let receivers = try FleetReceivers(record, seed: settings.seed)
    var report = FleetReport(seed: settings.seed, ledger: record.snapshot)
    // The first outbox creates the tables.
    let outbox = try await open(database.url(port: database.port))
    let began = ContinuousClock.now
    report.faults = try await troubled(receivers, outbox)
    report.seconds = (ContinuousClock.now - began).seconds
    report.rolling = try await rolled(receivers, outbox)
    report.ledger = record.snapshot
    let counts = try await outbox.statistics().counts
    await outbox.close()
    for state in OutboxState.allCases where state != .delivered && counts[state, default: 0] > 0 {
      report.violations.append("\(counts[state, default: 0]) requests are \(state) at the end")
    }
    let deadLetters = try await database.psql("SELECT id, reason FROM errand.dead LIMIT 20")
    report.violations += deadLetters.split(separator: "\n").map { "a dead letter: \($0)" }
    report.unseenAttempts = try await unseenAttempts(report.ledger)
    // A fault may happen between the record that some requests are being sent and their sending.
    let allowed = report.faults.values.reduce(0, +) * orders(behind: nil)[0].concurrency
    if report.unseenAttempts > allowed {
      report.violations.append(
        "\(report.unseenAttempts) attempts were counted that no receiver saw; \(allowed) are allowed")
    }
    if counts[.delivered, default: 0] < report.ledger.acceptedCount {
      report.violations.append("only \(counts[.delivered, default: 0]) requests are recorded as delivered")
    }
    return report
  }

  /// Returns the number of attempts that the outbox has counted and that no receiver saw.
  private func unseenAttempts(_ ledger: FleetLedger) async throws -> Int {
    let rows = try await database.psql("SELECT substr(id, 7), counted FROM errand.everything")
    var counted: [Int: Int] = [:]
    for row in rows.split(separator: "\n") {
      let numbers = row.split(separator: "|").compactMap { Int($0) }
      if numbers.count == 2 { counted[numbers[0]] = numbers[1] }
    }
    return ledger.unseenAttempts(counted)
  }

  // MARK: With faults

  private func troubled(_ receivers: FleetReceivers, _ outbox: Outbox) async throws -> [String: Int] {
    let proxy = try StallingProxy(before: database.port)
    defer { proxy.stop() }
    let workers = FleetWorkers(orders(behind: proxy), in: folder, record)
    defer { workers.killAll() }
    try workers.startAll()
    receivers.beginTrouble()
    let written = Locked<Result<Void, any Error>?>(nil)
    let writing = Task {
      do {
        try await write(receivers.ports, outbox)
        written.withLock { $0 = .success(()) }
      } catch {
        written.withLock { $0 = .failure(error) }
      }
    }
    defer { writing.cancel() }
    let faults = FleetFaults(workers, proxy, database, record, settings)
    let limit = ContinuousClock.now + settings.patience
    let counts = try await faults.run(progress: progress) { rounds in
      progress("accepted \(record.accepted), delivered \(record.delivered), \(rounds) rounds of faults")
      if ContinuousClock.now > limit {
        record.note("half of the requests were not delivered in \(settings.patience)")
        writing.cancel()
        return true
      }
      guard let written = written.withLock({ $0 }) else { return false }
      try written.get()
      return record.delivered >= settings.rows / 2 && rounds >= settings.rounds
    }
    await writing.value
    progress("all faults have ended")
    try receivers.endTrouble()
    try await waitUntilEmpty(outbox)
    try await workers.endAll()
    return counts
  }

  /// The orders of each worker. The last one is behind the proxy.
  private func orders(behind proxy: StallingProxy?) -> [FleetOrders] {
    (0..<settings.workers).map { place in
      let isLast = place == settings.workers - 1
      var orders = FleetOrders(
        store: database.url(port: isLast ? proxy?.port ?? database.port : database.port))
      guard proxy != nil else { return orders }
      orders.lease = Int(settings.lease.seconds * 1000)
      orders.absence = orders.lease
      return orders
    }
  }

  private func write(_ ports: [Int], _ outbox: Outbox) async throws {
    let url = database.url(port: database.port)
    try await withThrowingTaskGroup { group in
      for writer in 0..<FleetRequest.writers {
        let numbers = Array(stride(from: writer, to: settings.rows, by: FleetRequest.writers))
        let fleetWriter = FleetWriter(
          numbers: numbers, ports: ports, pace: settings.pace, seed: settings.seed &+ UInt64(writer)
        ) { [record] numbers in record.accept(numbers) }
        let phantom = settings.rows + settings.rollingRows + writer
        group.addTask { [folder, open] in
          if writer < settings.sqlWriters {
            try await fleetWriter.write(toDatabase: url, in: folder, phantom: phantom)
          } else if writer == 1 {
            try await fleetWriter.write(to: outbox)
          } else {
            let own = try await open(url)
            try await fleetWriter.write(to: own)
            await own.close()
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private func waitUntilEmpty(_ outbox: Outbox) async throws {
    let end = ContinuousClock.now + settings.patience
    var said = ""
    while ContinuousClock.now < end {
      let counts = try await outbox.statistics().counts
      if counts[.stored, default: 0] + counts[.attempting, default: 0] == 0 { return }
      let left = "left: \(counts[.stored, default: 0]) stored, \(counts[.attempting, default: 0]) attempting"
      if left != said { progress(left) }
      said = left
      try await Task.sleep(for: .milliseconds(500))
    }
    record.note("not everything was delivered in \(settings.patience)")
  }

  // MARK: Without faults

  /// Replaces all workers while requests are enqueued. Their leases are as long as usual: a worker that kept
  /// its rows would delay them for a long time.
  private func rolled(_ receivers: FleetReceivers, _ outbox: Outbox) async throws -> RollingRestart.Result {
    record.beginRolling()
    let workers = FleetWorkers(orders(behind: nil), in: folder, record)
    defer { workers.killAll() }
    try workers.startAll()
    let writing = Task {
      var numbers = Array(settings.rows..<settings.rows + settings.rollingRows)[...]
      while !numbers.isEmpty {
        let group = numbers.prefix(20)
        numbers = numbers.dropFirst(20)
        let now = record.now
        record.roll { rolling in for number in group { rolling.enqueue(number, at: now) } }
        try await outbox.enqueue(group.map { FleetRequest($0).item(to: receivers.ports) })
        record.accept(group)
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    // The first third is without a restart, for comparison.
    let third = settings.rollingRows / 20 * 30 / 3
    try await Task.sleep(for: .milliseconds(third))
    record.roll { $0.begin() }
    for place in 0..<settings.workers { try await workers.replace(place) }
    try await writing.value
    try await waitUntilEmpty(outbox)
    try await workers.endAll()
    return record.rollingResult(workers: settings.workers)
  }
}
