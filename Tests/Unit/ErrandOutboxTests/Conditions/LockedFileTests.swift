import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

@Suite(.timeLimit(.minutes(1))) struct LockedFileTests {
  /// Keeps a transaction open, as another program would.
  // Safe to share: each instance is used by one thread at a time.
  private final class Holder: @unchecked Sendable {
    private let database: Database

    init(_ folder: URL) throws {
      database = try Database(path: folder.appending(path: "outbox.sqlite").path, busyTimeout: .seconds(5))
      try database.begin()
    }

    func letGo() {
      database.rollback()
      database.close()
    }
  }

  private let harness: OutboxHarness
  private let failures = StoreFailureLog()
  private var server: MockServer { harness.server }

  init() throws { harness = try OutboxHarness() }

  private func outbox() async throws -> Outbox {
    var setup = StoreSetup()
    setup.busyTimeout = .milliseconds(50)
    let store = try await SQLiteOutboxStore(folder: harness.folder, setup: setup)
    var configuration = harness.configuration
    configuration.pollInterval = .milliseconds(200)
    configuration.onStoreFailure = failures.add
    return try await Outbox(
      store: store, folder: harness.folder, client: harness.client(), configuration: configuration)
  }

  @Test func `an outbox on a locked file reports that it is busy, and continues when the lock is released`()
    async throws
  {
    server.on("/") { _ in .response() }
    let outbox = try await outbox()
    let holder = try Holder(harness.folder)
    let error = await #expect(throws: OutboxError.self) {
      try await outbox.enqueue(.post(server.url("/"), .text("refused")))
    }
    #expect(error?.code == .busy)
    #expect(error?.description.contains("another process") == true)
    holder.letGo()
    let receipt = try await outbox.enqueue(.post(server.url("/"), .text("accepted")))
    #expect(try await receipt.outcome().response != nil)
    #expect(server.requests.map(\.text) == ["accepted"])
    await outbox.close()
  }

  @Test func `a delivery while the file is locked is recorded later, and not sent again`()
    async throws
  {
    let holder = Locked<Holder?>(nil)
    server.on("/") { [folder = harness.folder] _ in
      holder.withLock { $0 = try? Holder(folder) }
      return .response()
    }
    let outbox = try await outbox()
    let receipt = try await outbox.enqueue(.post(server.url("/"), .text("once")))
    try await failures.waitForFailure()
    #expect(try await receipt.status()?.state == .attempting)
    holder.withLock { $0 }?.letGo()
    #expect(try await receipt.outcome().response != nil)
    #expect(failures.codes.allSatisfy { $0 == .busy })
    #expect(server.count("/") == 1)
    await outbox.close()
  }
}
