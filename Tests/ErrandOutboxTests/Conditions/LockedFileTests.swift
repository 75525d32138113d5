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
  private var server: MockServer { lab.server }

  init() throws { lab = try OutboxLab() }

  private func outbox(_ failures: Locked<[OutboxError]>) async throws -> Outbox {
    var setup = StoreSetup()
    setup.busyTimeout = .milliseconds(50)
    let store = try await SQLiteOutboxStore(folder: lab.folder, setup: setup)
    var configuration = lab.configuration
    configuration.beat = .milliseconds(200)
    configuration.onStoreFailure = { error in
      if let error = error as? OutboxError { failures.withLock { $0.append(error) } }
    }
    return try await Outbox(
      store: store, folder: lab.folder, client: lab.client(), configuration: configuration)
  }

  @Test func `a file that another program holds is an error that says so, and later it goes on`() async throws {
    server.on("/") { _ in .answer() }
    let failures = Locked<[OutboxError]>([])
    let outbox = try await outbox(failures)
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

  @Test func `what is delivered while the file is held is written down later, and not sent again`() async throws {
    let holder = Locked<Holder?>(nil)
    server.on("/") { [folder = lab.folder] _ in
      holder.withLock { $0 = try? Holder(folder) }
      return .answer()
    }
    let failures = Locked<[OutboxError]>([])
    let outbox = try await outbox(failures)
    let receipt = try await outbox.enqueue(.post(server.url("/"), .text("once")))
    while failures.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try await receipt.status()?.state == .trying)
    holder.withLock { $0 }?.letGo()
    #expect(try await receipt.outcome().answer != nil)
    #expect(failures.withLock { $0.allSatisfy { $0.code == .busy } })
    #expect(server.count("/") == 1)
    await outbox.close()
  }
}
