import CrashCourse
import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

/// Processes that are killed before they send, or that stop for longer than their leases.
@Suite(.timeLimit(.minutes(1))) struct LostProcessTests {
  private let harness: OutboxHarness

  private let saying: TemporaryFolder

  init() throws {
    harness = try OutboxHarness()
    saying = try TemporaryFolder()
  }

  private func orders(_ numbers: Range<Int>) -> WorkerOrders {
    WorkerOrders(folder: harness.folder.path, server: harness.server.url.absoluteString, numbers: numbers)
  }

  private func start(_ orders: WorkerOrders) throws -> WorkerProcess {
    try WorkerProcess(orders, output: saying.file(UUID().uuidString))
  }

  /// Stops a worker while it is not writing: in the middle of a write it would hold SQLite's lock, and every
  /// other process would wait until it continues.
  private func stop(_ worker: WorkerProcess) throws {
    let database = try Database(
      path: harness.folder.appending(path: "outbox.sqlite").path, busyTimeout: .seconds(30))
    defer { database.close() }
    try database.execute("BEGIN IMMEDIATE")
    worker.stop()
    try database.execute("ROLLBACK")
  }

  @Test func `a request that kills its process each time becomes a dead letter after its last attempt`()
    async throws
  {
    harness.server.otherwise { _ in .response() }
    for attempt in 1...4 {
      var orders = orders(attempt == 1 ? 0..<1 : 0..<0)
      orders.maxAttempts = 3
      orders.end = .place(.beforeSend, 1)
      let end = await (try start(orders)).wait()
      #expect(end == (attempt < 4 ? .killed : .exited(0)))
    }
    let outbox = try await harness.outbox { $0.delivers = false }
    let entries = try await outbox.list()
    #expect(entries.map(\.state) == [.deadLettered] && entries.map(\.attempts) == [3])
    #expect(entries[0].reason?.hasPrefix("attempted 3 times; its last attempt has no known end") == true)
    #expect(harness.server.requests.isEmpty)
    await outbox.close()
  }

  @Test
  func `a process that stopped for longer than its leases sends no request that another process claimed`()
    async throws
  {
    let gate = ServerGate()
    let count = Locked(0)
    harness.server.otherwise { _ in
      let isHeld = count.withLock { count in
        count += 1
        return count > 40
      }
      if isHeld { gate.pass() }
      return .response()
    }
    var orders = orders(0..<400)
    orders.lease = 1500
    let worker = try start(orders)
    // Some requests are in flight and more are claimed; the worker no longer enqueues anything.
    try await harness.server.waitForRequests(41)
    try await waitUntil { worker.said.count { $0.first == "accepted" } >= 400 }
    try stop(worker)
    gate.open()
    let outbox = try await harness.outbox {
      $0.lease = .milliseconds(1500)
      $0.pollInterval = .milliseconds(300)
    }
    // The outbox takes over the stopped worker's rows when their leases have expired.
    try await waitUntil {
      let counts = try await outbox.statistics().counts
      return counts[.attempting, default: 0] + counts[.stored, default: 0] == 0
    }
    let counted = harness.server.requests.count
    worker.send(SIGCONT)
    #expect(await worker.wait() == .exited(0))
    // The resumed worker does not send again any request that the server has received.
    let late = harness.server.requests.dropFirst(counted)
    let known = Set(harness.server.requests.prefix(counted).map(\.path))
    #expect(late.allSatisfy { !known.contains($0.path) })
    await outbox.close()
  }
}
