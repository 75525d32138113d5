import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

@Suite(.timeLimit(.minutes(1))) struct LockedFileTests {
  /// Another program that keeps a transaction open.
  // Safe to share: each of these is used by one thread at a time.
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

  private let lab: OutboxLab
  private let failures = StoreFailureLog()
  private var server: MockServer { lab.server }

  init() throws { lab = try OutboxLab() }

  private func outbox() async throws -> Outbox {
    var setup = StoreSetup()
    setup.busyTimeout = .milliseconds(50)
    let store = try await SQLiteOutboxStore(folder: lab.folder, setup: setup)
    var configuration = lab.configuration
    configuration.beat = .milliseconds(200)
    configuration.onStoreFailure = failures.add
    return try await Outbox(
      store: store, folder: lab.folder, client: lab.client(), configuration: configuration)
  }

  @Test func `a file that another program holds is an error that says so, and later it goes on`() async throws
  {
    server.on("/") { _ in .answer() }
    let outbox = try await outbox()
    let holder = try Holder(lab.folder)
    let error = await #expect(throws: OutboxError.self) {
      try await outbox.enqueue(.post(server.url("/"), .text("refused")))
    }
    #expect(error?.code == .busy)
    #expect(error?.description.contains("another process") == true)
    holder.letGo()
    let receipt = try await outbox.enqueue(.post(server.url("/"), .text("accepted")))
    #expect(try await receipt.outcome().answer != nil)
    #expect(server.requests.map(\.text) == ["accepted"])
    await outbox.close()
  }

  @Test func `what is delivered while the file is held is written down later, and not sent again`()
    async throws
  {
    let holder = Locked<Holder?>(nil)
    server.on("/") { [folder = lab.folder] _ in
      holder.withLock { $0 = try? Holder(folder) }
      return .answer()
    }
    let outbox = try await outbox()
    let receipt = try await outbox.enqueue(.post(server.url("/"), .text("once")))
    try await failures.waitForFailure()
    #expect(try await receipt.status()?.state == .trying)
    holder.withLock { $0 }?.letGo()
    #expect(try await receipt.outcome().answer != nil)
    #expect(failures.codes.allSatisfy { $0 == .busy })
    #expect(server.count("/") == 1)
    await outbox.close()
  }
}
