import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandConformance
@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

@Suite struct BlobStoreConformanceTests {
  private struct FolderPlace: BlobStoreConformance.Place {
    let folder = TemporaryFolder(isOnDisk: true)

    func open() async throws -> any BlobStore { BlobFolder(in: folder.url) }
  }

  private struct MemoryPlace: BlobStoreConformance.Place {
    let blobs = MemoryBlobs()

    func open() async throws -> any BlobStore { blobs }
  }

  @Test("a folder of blobs conforms", arguments: BlobStoreConformance.cases)
  func folder(_ requirement: BlobStoreConformance.Case) async throws {
    try await BlobStoreConformance { FolderPlace() }.run(requirement)
  }

  @Test("blobs in memory conform", arguments: BlobStoreConformance.cases)
  func memory(_ requirement: BlobStoreConformance.Case) async throws {
    try await BlobStoreConformance { MemoryPlace() }.run(requirement)
  }

  @Test func `a body store that is unavailable ends no request, and counts no attempt`() async throws {
    let harness = try OutboxHarness()
    harness.server.on("/") { _ in .response() }
    let blobs = MemoryBlobs()
    var configuration = harness.configuration
    configuration.delivers = false
    configuration.delivery.maxAttempts = 2
    let outbox = try await Outbox(
      store: SQLiteOutboxStore(folder: harness.folder), blobs: blobs, client: harness.client(),
      configuration: configuration)
    let receipts = try await outbox.enqueue(
      (0..<3).map { .post(harness.server.url("/"), .bytes(.seeded(100_000, $0))) }, lane: "a")
    blobs.absences.withLock { $0 = 10 }
    outbox.deliver()
    for receipt in receipts { #expect(try await receipt.outcome().response != nil) }
    #expect(harness.server.requests.map(\.body) == (0..<3).map { .seeded(100_000, $0) })
    #expect(blobs.absences.withLock { $0 } == 0)
    await outbox.close()
  }

  @Test func `a missing body makes its request a dead letter`() async throws {
    let harness = try OutboxHarness()
    let blobs = MemoryBlobs()
    var configuration = harness.configuration
    configuration.delivers = false
    let outbox = try await Outbox(
      store: SQLiteOutboxStore(folder: harness.folder), blobs: blobs, client: harness.client(),
      configuration: configuration)
    let receipt = try await outbox.enqueue(.post(harness.server.url("/"), .bytes(.seeded(100_000))))
    await blobs.removeAll()
    outbox.deliver()
    guard case .deadLettered(let reason, _) = try await receipt.outcome() else {
      Issue.record("It is still in progress.")
      return
    }
    #expect(reason.contains("does not exist"))
    await outbox.close()
  }

  @Test(arguments: [true, false])
  func `an outbox delivers files whose bytes are in another store, and removes them`(isSealed: Bool)
    async throws
  {
    let harness = try OutboxHarness()
    harness.server.on("/") { _ in .response() }
    let blobs = MemoryBlobs()
    var configuration = harness.configuration
    configuration.key = isSealed ? .random() : nil
    configuration.delivers = false
    let outbox = try await Outbox(
      store: SQLiteOutboxStore(folder: harness.folder), blobs: blobs, client: harness.client(),
      configuration: configuration)
    let source = harness.folder.appending(path: "source")
    try Data.seeded(200_000).write(to: source)
    let form = MultipartForm(boundary: "B").file("a", at: source).bytes("b", .seeded(100_000, 2))
    let one = try await outbox.enqueue(.post(harness.server.url("/"), .file(source)))
    let two = try await outbox.enqueue(.post(harness.server.url("/"), .multipart(form)))
    try FileManager.default.removeItem(at: source)
    #expect(blobs.count == 3)
    #expect(!FileManager.default.fileExists(atPath: harness.folder.appending(path: "files").path))
    outbox.deliver()
    for receipt in [one, two] { #expect(try await receipt.outcome().response != nil) }
    let bodies = harness.server.requests.map(\.body)
    #expect(bodies.contains(.seeded(200_000)))
    #expect(bodies.contains { $0.range(of: Data.seeded(100_000, 2)) != nil })
    try await outbox.waitUntilEmpty()
    await outbox.close()
    #expect(blobs.count == 0)
  }
}
