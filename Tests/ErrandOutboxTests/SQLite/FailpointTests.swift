#if ERRAND_FAILPOINTS
  import ErrandCore
  import Testing

  @testable import ErrandOutbox
  @testable import ErrandOutboxSQLite

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  @Suite struct FailpointTests {
    // Other tests run at the same time, on other threads.
    private final class Log: Sendable {
      let places = Locked<[Failpoint]>([])
      private let thread = UInt(bitPattern: unsafeBitCast(pthread_self(), to: Int.self))

      func add(_ place: Failpoint) {
        guard UInt(bitPattern: unsafeBitCast(pthread_self(), to: Int.self)) == thread else { return }
        places.withLock { $0.append(place) }
      }
    }

    @Test func `a transaction passes every failpoint, in order`() throws {
      let session = try StoreTestFolder(isOnDisk: false).session()
      let log = Log()
      Failpoint.watch(log.add)
      defer { Failpoint.watch(nil) }
      let operations = ["a", "b"].map { id in
        StoreOperation(isWrite: true) {
          try $0.add([.sample(id)], within: OutboxCaps(), at: .sample)
        } receive: { _ in
        }
      }
      session.perform(operations) { _ in }
      #expect(
        log.places.withLock { $0 } == [
          .beforeBegin, .afterBegin, .beforeOperation, .afterOperation, .beforeOperation, .afterOperation,
          .beforeCommit, .afterCommit,
        ])
    }
  }
#endif
