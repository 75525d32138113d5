#if os(Linux)
  import ErrandCore
  @testable import ErrandConformance
  @testable import ErrandTesting
  import Foundation
  import Testing

  @testable import ErrandOutbox

  @Suite(.timeLimit(.minutes(1)), .enabled(if: geteuid() == 0, "a small disk needs root"))
  struct FullDiskTests {
    private let harness: OutboxHarness
    private let failures = StoreFailureLog()
    private var server: MockServer { harness.server }

    init() throws { harness = try OutboxHarness() }

    private func withSmallDisk(_ body: (Ballast) async throws -> Void) async throws {
      try FileManager.default.createDirectory(at: harness.folder, withIntermediateDirectories: true)
      let disk = try #require(SmallDisk(at: harness.folder.path))
      defer { disk.unmount() }
      try await body(Ballast(path: harness.folder.appending(path: "ballast").path))
    }

    private func outbox(delivers: Bool) async throws -> Outbox {
      try await harness.outbox {
        $0.delivers = delivers
        $0.pollInterval = .milliseconds(200)
        $0.onStoreFailure = failures.add
      }
    }

    private func code(_ work: () async throws -> Void) async -> OutboxError.Code? {
      do {
        try await work()
        return nil
      } catch {
        return (error as? OutboxError)?.code
      }
    }

    @Test func `an outbox on a full disk refuses new requests, and delivers accepted ones once`()
      async throws
    {
      server.on("/") { _ in .response() }
      try await withSmallDisk { ballast in
        ballast.fill(500_000)
        let outbox = try await outbox(delivers: false)
        var accepted = 0
        var refusal: OutboxError?
        while refusal == nil, accepted < 1000 {
          do {
            try await outbox.enqueue(.post(server.url("/"), .bytes(Data(count: 20_000))))
            accepted += 1
          } catch let error as OutboxError {
            refusal = error
          }
        }
        #expect(refusal?.code == .diskFull && refusal?.description.contains("disk") == true)
        #expect(accepted > 5)
        #expect(
          await code { try await outbox.enqueue(.post(server.url("/"), .bytes(Data(count: 500_000)))) }
            == .diskFull)
        #expect(try await outbox.statistics().counts[.stored] == accepted)
        outbox.deliver()
        // Recording the outcomes takes some space as well.
        ballast.drop()
        try await outbox.waitUntilEmpty()
        #expect(harness.keys().count == accepted && Set(harness.keys()).count == accepted)
        #expect(try await outbox.statistics().counts[.delivered] == accepted)
        await outbox.close()
      }
    }

    @Test func `a delivery is recorded even if another program has filled the disk meanwhile`()
      async throws
    {
      try await withSmallDisk { ballast in
        // The disk is full between sending and recording.
        server.on("/") { _ in
          ballast.fill()
          return .response(body: Data(repeating: 1, count: 30_000))
        }
        let outbox = try await outbox(delivers: true)
        let receipt = try await outbox.enqueue(.post(server.url("/"), .text("once")))
        #expect(try await receipt.outcome().response != nil)
        #expect(failures.codes.isEmpty)
        #expect(server.count("/") == 1)
        ballast.drop()
        await outbox.close()
      }
    }
  }
#endif
