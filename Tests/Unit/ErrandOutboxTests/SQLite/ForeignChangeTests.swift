import ErrandCore
import Foundation
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

@Suite struct ForeignChangeTests {
  /// Changes the file just before the wrapped notifier listens, and never notifies.
  private final class LateChangeNotifier: ChangeNotifier {
    let change: @Sendable () -> Void
    let listens = Locked(0)

    init(_ change: @escaping @Sendable () -> Void) { self.change = change }

    func ring() {}
    func listen(_ handler: @escaping @Sendable () -> Void) {
      change()
      listens.withLock { $0 += 1 }
    }
    func close() {}
  }

  @Test func `a change between a store's first read and its listening is noticed`() async throws {
    let folder = StoreTestFolder()
    let first = try await folder.open()
    try await first.add(.sample("a"))
    await first.close()
    let notifier = LateChangeNotifier {
      do {
        let other = try folder.connect()
        try other.execute("UPDATE requests SET priority = 1")
        other.close()
      } catch {
        Issue.record(error)
      }
    }
    let store = try await folder.open { $0.notifier = notifier }
    let calls = Locked(0)
    store.onForeignChange { calls.withLock { $0 += 1 } }
    // Each read returns after the replies to the reads before it, so the first one returns after the store
    // listens.
    _ = try await store.statistics()
    #expect(notifier.listens.withLock { $0 } == 1)
    _ = try await store.statistics()
    #expect(calls.withLock { $0 } == 1)
    await store.close()
  }

  @Test func `a store that begins to listen reports nothing if nothing changes`() async throws {
    let folder = StoreTestFolder()
    let notifier = LateChangeNotifier {}
    let store = try await folder.open { $0.notifier = notifier }
    let calls = Locked(0)
    store.onForeignChange { calls.withLock { $0 += 1 } }
    try await store.add(.sample("own"))
    _ = try await store.statistics()
    _ = try await store.statistics()
    #expect(calls.withLock { $0 } == 0)
    await store.close()
  }
}
