import ErrandCore
import Foundation
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

@Suite struct ClaimNewsTests {
  private final class CountingChangeNotifier: ChangeNotifier {
    let rings = Locked(0)

    func ring() { rings.withLock { $0 += 1 } }
    func listen(_ handler: @escaping @Sendable () -> Void) {}
    func close() {}
  }

  private struct OnlyOwner: LivenessRegistry {
    let name = "only"
    func isAlive(_ owner: String) -> Bool { owner == name }
    func leave() {}
  }

  @Test func `a claim that finds an expired request notifies other processes`() async throws {
    let notifier = CountingChangeNotifier()
    var setup = StoreSetup()
    setup.vfs = "memdb"
    setup.runsInCaller = true
    setup.owners = OnlyOwner()
    setup.notifier = notifier
    let milliseconds = Locked<Int64>(0)
    setup.time = {
      let now = milliseconds.withLock { $0 }
      return StoreTime(ticks: now, wall: now, boot: "boot")
    }
    let store = try await SQLiteOutboxStore(
      folder: URL(filePath: "/claim-news-\(UUID().uuidString)"), setup: setup)
    let row = NewRow(
      id: OutboxID(rawValue: "a"), lane: nil, holdsLane: false, priority: 0, expiry: .after(.seconds(1)),
      summary: Data(), content: Data(), files: [], size: 0)
    _ = try await store.add([row], within: OutboxCaps())
    let before = notifier.rings.withLock { $0 }
    milliseconds.withLock { $0 = 1000 }
    let claim = try await store.claim(1, for: .seconds(60))
    #expect(claim.expired.map(\.id) == [row.id])
    #expect(notifier.rings.withLock { $0 } == before + 1)
    await store.close()
  }
}
