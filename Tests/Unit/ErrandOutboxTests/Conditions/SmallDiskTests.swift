#if os(Linux)
  import CrashCourse
  import ErrandCore
  @testable import ErrandConformance
  @testable import ErrandTesting
  import Foundation
  import TestSupport
  import Testing

  @testable import ErrandOutbox
  @testable import ErrandOutboxSQLite

  /// Outboxes that fill their disk, and still deliver all requests that they accepted.
  @Suite(.timeLimit(.minutes(5)), .enabled(if: geteuid() == 0, "a small disk needs root"))
  struct SmallDiskTests {
    private let harness: OutboxHarness
    private let failures = StoreFailureLog()
    private var server: MockServer { harness.server }
    private var ballast: Ballast { Ballast(path: harness.folder.appending(path: "ballast").path) }

    init() throws {
      harness = try OutboxHarness()
      server.otherwise { _ in .response(body: Data(repeating: 1, count: 200)) }
    }

    private func withDisk(_ megabytes: Int, _ body: () async throws -> Void) async throws {
      try FileManager.default.createDirectory(at: harness.folder, withIntermediateDirectories: true)
      let disk = try #require(SmallDisk(at: harness.folder.path, megabytes: megabytes))
      defer { disk.unmount() }
      try await body()
    }

    private func outbox(delivers: Bool) async throws -> Outbox {
      try await harness.outbox {
        $0.delivers = delivers
        $0.pollInterval = .milliseconds(100)
        $0.onStoreFailure = failures.add
      }
    }

    /// Enqueues requests until the disk is full.
    /// - Returns: The keys of the accepted requests.
    private func fill(_ outbox: Outbox, bytes: Int) async throws -> [String] {
      var accepted = 0
      var body = Data(repeating: 120, count: bytes)
      while accepted < 20_000 {
        do {
          try await outbox.enqueue(.post(server.url("/"), .bytes(body)))
          accepted += 1
        } catch let error as OutboxError {
          #expect(error.code == .diskFull && error.description.contains("disk"))
          // A smaller request must not take the remaining space either.
          guard body.count > 100 else { break }
          body = Data(repeating: 120, count: body.count / 2)
        }
      }
      let entries = try await outbox.list(limit: 50_000)
      #expect(entries.count == accepted)
      return entries.map { "\"\($0.idempotencyKey)\"" }
    }

    private func expectDelivered(_ keys: [String]) {
      #expect(keys.count > 5)
      let missing = Set(keys).subtracting(harness.keys())
      #expect(missing.isEmpty && Set(harness.keys()).count == keys.count)
    }

    /// Fills the disk with requests, and expects that each is delivered once.
    /// - Returns: The outbox, on a disk that has space again.
    private func deliveredOutbox(bytes: Int) async throws -> Outbox {
      let outbox = try await outbox(delivers: false)
      let keys = try await fill(outbox, bytes: bytes)
      // Another program takes the rest of the disk.
      ballast.fill()
      outbox.deliver()
      try await outbox.waitUntilEmpty()
      expectDelivered(keys)
      #expect(harness.keys().count == keys.count)
      #expect(failures.codes.isEmpty)
      ballast.drop()
      return outbox
    }

    @Test(arguments: [3, 4], [300, 3000, 100_000])
    func `an outbox that filled its disk delivers all requests that it accepted`(
      _ megabytes: Int, _ bytes: Int
    )
      async throws
    {
      try await withDisk(megabytes) {
        let outbox = try await deliveredOutbox(bytes: bytes)
        try await outbox.enqueue(.post(server.url("/"), .text("more")))
        await outbox.close()
      }
    }

    /// Without the smallest bodies, because two thousand deliveries by six processes take a minute beside
    /// other tests.
    @Test(arguments: [3], [3000, 100_000])
    func `processes that are killed on a full disk lose no request`(_ megabytes: Int, _ bytes: Int)
      async throws
    {
      try await withDisk(megabytes) {
        let store = try await SQLiteOutboxStore(folder: harness.folder)
        var configuration = harness.configuration
        configuration.delivers = false
        let outbox = try await Outbox(
          store: store, folder: harness.folder, client: harness.client(), configuration: configuration)
        let keys = try await fill(outbox, bytes: bytes)
        await store.abandon()
        ballast.fill()
        let output = try TemporaryFolder()
        let ends: [WorkerOrders.End] = [
          .place(.beforeRecord, 3), .place(.beforeCommit, 6), .place(.afterCommit, 5),
          .place(.beforeCheckpoint, 1), .place(.afterCheckpoint, 1), .done,
        ]
        for end in ends {
          var orders = WorkerOrders(
            folder: harness.folder.path, server: server.url.absoluteString, numbers: 0..<0)
          orders.end = end
          let worker = try WorkerProcess(orders, output: output.file("\(end)"))
          let wayOut = await worker.wait()
          #expect(wayOut == .killed || wayOut == .exited(0), "\(end): \(worker.said.suffix(2))")
          if end == .done { #expect(wayOut == .exited(0)) }
        }
        expectDelivered(keys)
      }
    }

    @Test func `responses that are larger than their requests are recorded on a full disk`() async throws {
      server.otherwise { _ in .response(body: Data(repeating: 1, count: 20_000)) }
      try await withDisk(3) {
        let outbox = try await deliveredOutbox(bytes: 3000)
        await outbox.close()
      }
    }

    @Test func `another program's files on the disk delay only new requests`() async throws {
      try await withDisk(4) {
        let outbox = try await outbox(delivers: true)
        var accepted = 0
        for round in 0..<60 {
          if round % 20 == 10 { ballast.fill() }
          if round % 20 == 0 { ballast.drop() }
          for _ in 0..<10 {
            do {
              try await outbox.enqueue(.post(server.url("/"), .bytes(Data(count: 3000))))
              accepted += 1
            } catch let error as OutboxError {
              #expect(error.code == .diskFull)
            }
          }
        }
        ballast.drop()
        try await outbox.waitUntilEmpty()
        #expect(Set(harness.keys()).count == accepted && harness.keys().count == accepted)
        #expect(accepted > 300)
        try await outbox.enqueue(.post(server.url("/"), .text("more")))
        await outbox.close()
      }
    }
  }
#endif
