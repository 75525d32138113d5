import CrashCourse
import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

@Suite(.timeLimit(.minutes(1))) struct SnapshotTests {
  @Test(.computesLong) func `a listing misses no request while another process delivers all of them`()
    async throws
  {
    let harness = try OutboxHarness()
    harness.server.otherwise { _ in .response() }
    let outbox = try await harness.outbox { $0.delivers = false }
    let count = 1500
    try await outbox.enqueue((0..<count).map { .post(harness.server.url("/\($0)")) })
    await outbox.close()
    let store = try await SQLiteOutboxStore(folder: harness.folder)
    let place = try TemporaryFolder()
    let worker = try WorkerProcess(
      WorkerOrders(folder: harness.folder.path, server: harness.server.url.absoluteString, numbers: 0..<0),
      output: place.file("said"))
    let live = OutboxSelection(states: [.stored, .attempting, .delivered])
    var listings = 0
    var incomplete: [Int] = []
    while try await store.statistics().counts[.delivered] != count {
      let listed = try await store.list(live, after: 0, limit: 400).count
      if listed != 400 { incomplete.append(listed) }
      let statistics = try await store.statistics()
      #expect(statistics.counts.values.reduce(0, +) == count)
      listings += 1
    }
    #expect(incomplete == [])
    #expect(listings > 0)
    #expect(await worker.wait() == .exited(0), "\(worker.said.suffix(2))")
    await store.close()
  }

  @Test func `reads that are performed together see one snapshot, whatever others commit meanwhile`() throws {
    let folder = StoreTestFolder(isOnDisk: false)
    let session = try folder.session()
    let other = Locked(try folder.session())
    let log = OutcomeLog()
    @Sendable func adding(_ id: String) -> StoreOperation {
      StoreOperation(isWrite: true) {
        _ = try $0.add([.sample(id)], within: OutboxCaps(), at: .sample)
      } receive: {
        log.add($0)
      }
    }
    session.perform([adding("a")]) { $0() }
    let seen = Locked<[Int]>([])
    let reads = (0..<2).map { _ in
      StoreOperation(isWrite: false) { tables in
        let before = try tables.list(.all, after: 0, limit: 9).count
        let adding = adding("b\(seen.withLock { $0.count })")
        other.withLock { $0.perform([adding]) { $0() } }
        let after = try tables.list(.all, after: 0, limit: 9).count
        seen.withLock { $0 += [before, after] }
      } receive: {
        log.add($0)
      }
    }
    session.perform(reads) { $0() }
    #expect(log.takeFailures().map { $0 == nil } == Array(repeating: true, count: 5))
    #expect(seen.withLock { $0 } == [1, 1, 1, 1])
    session.perform([reads[0]]) { _ in }
    #expect(seen.withLock { $0 }.suffix(2) == [3, 3])
    session.close(isGraceful: true)
    other.withLock { $0.close(isGraceful: true) }
  }
}
