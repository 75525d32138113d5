#if ERRAND_FAILPOINTS
  import ErrandCore
  import Foundation
  import Testing

  @testable import ErrandOutbox
  @testable import ErrandOutboxSQLite

  // There is one handler for all failpoints of the process.
  @Suite(.serialized) struct FailpointTests {
    private let folder = StoreTestFolder()

    /// True in the watching task, because tests in other tasks pass failpoints at the same time.
    @TaskLocal private static var isWatching = false

    /// Calls the handler at each failpoint that the work passes.
    private func watch(_ handler: @escaping @Sendable (Failpoint) -> Void, during work: () throws -> Void)
      rethrows
    {
      Failpoint.watch { if Self.isWatching { handler($0) } }
      defer { Failpoint.watch(nil) }
      try Self.$isWatching.withValue(true, operation: work)
    }

    @Test func `a transaction passes every failpoint, in order`() throws {
      let session = try folder.session()
      let places = Locked<[Failpoint]>([])
      let operations = ["a", "b"].map { id in
        StoreOperation(isWrite: true) {
          try $0.add([.sample(id)], within: OutboxCaps(), at: .sample)
        } receive: { result in
          #expect(throws: Never.self) { try result.get() }
        }
      }
      watch { place in
        places.withLock { $0.append(place) }
      } during: {
        session.perform(operations) { $0() }
      }
      #expect(
        places.withLock { $0 } == [
          .beforeBegin, .afterBegin, .beforeOperation, .afterOperation, .beforeOperation, .afterOperation,
          .beforeCommit, .afterCommit,
        ])
    }

    @Test func `no connection can write during a checkpoint`() throws {
      let session = try folder.session()
      let path = folder.database.path
      let refused = Locked<[OutboxError.Code?]>([])
      watch { place in
        guard place == .beforeCheckpoint || place == .afterCheckpoint else { return }
        do {
          let other = try Database(path: path, busyTimeout: .zero)
          defer { other.close() }
          other.leaveAsItIs()
          try other.begin()
          refused.withLock { $0.append(nil) }
        } catch {
          refused.withLock { $0.append((error as? OutboxError)?.code) }
        }
      } during: {
        session.close(isGraceful: true)
      }
      #expect(refused.withLock { $0 } == [.busy, .busy])
    }
  }
#endif
