import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

@Suite(.timeLimit(.minutes(1))) struct DamagedOutboxTests {
  private let harness: OutboxHarness
  private var server: MockServer { harness.server }
  private var database: URL { harness.folder.appending(path: "outbox.sqlite") }

  init() throws {
    harness = try OutboxHarness()
    server.on("/*") { _ in .response() }
  }

  private func fill(_ count: Int) async throws {
    let outbox = try await harness.outbox { $0.delivers = false }
    for number in 0..<count {
      let body = Data(repeating: UInt8(number), count: number.isMultiple(of: 4) ? 80_000 : 3000)
      try await outbox.enqueue(.post(server.url("/\(number)"), .bytes(body)))
    }
    await outbox.close()
  }

  private func flip(_ bit: Int, of file: URL) throws {
    var bytes = try Data(contentsOf: file)
    bytes[bit / 8] ^= 1 << (bit % 8)
    try bytes.write(to: file)
  }

  @Test func `a stored file with a flipped bit makes only its own request a dead letter`() async throws {
    try await fill(8)
    let files = harness.folder.appending(path: "files")
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: files.path).sorted().first)
    try flip(40_000 * 8 + 3, of: files.appending(path: name))
    let outbox = try await harness.outbox()
    try await outbox.waitUntilEmpty()
    let aside = try await outbox.list(OutboxSelection(states: [.deadLettered]))
    #expect(aside.count == 1)
    #expect(aside[0].reason?.contains("its bytes have changed since it was stored") == true)
    #expect(try await outbox.statistics().counts[.delivered] == 7)
    let damaged = URL(string: aside[0].url)?.path ?? "?"
    #expect(server.requests.allSatisfy { $0.path != damaged || !$0.isComplete })
    await outbox.close()
  }

  @Test func `opening a truncated database fails with an error that names the file, and does not change it`()
    async throws
  {
    try await fill(8)
    let whole = try Data(contentsOf: database)
    let half = whole.prefix(whole.count / 2)
    try half.write(to: database)
    let error = await #expect(throws: OutboxError.self) {
      let outbox = try await harness.outbox()
      // Opening does not read every page.
      _ = try await outbox.list()
      await outbox.close()
    }
    #expect(error?.code == .damaged)
    #expect(error?.description.contains("outbox.sqlite") == true)
    // The database is restored from a copy.
    try whole.write(to: database)
    for suffix in ["-wal", "-shm"] {
      try? FileManager.default.removeItem(at: harness.folder.appending(path: "outbox.sqlite\(suffix)"))
    }
    let outbox = try await harness.outbox()
    try await outbox.waitUntilEmpty()
    #expect(Set(harness.server.requests.map(\.path)).count == 8)
    await outbox.close()
  }

  @Test func `a flipped bit anywhere in the database changes no request that is sent`() async throws {
    try await fill(8)
    let whole = try Data(contentsOf: database)
    var random = SeededRandom(seed: 5)
    for _ in 0..<40 {
      try whole.write(to: database)
      for suffix in ["-wal", "-shm"] {
        try? FileManager.default.removeItem(at: harness.folder.appending(path: "outbox.sqlite\(suffix)"))
      }
      try flip(Int.random(in: 0..<whole.count * 8, using: &random), of: database)
      // The store may report damage, at once or later. It must not return anything other than the enqueued
      // request.
      guard let store = try? await SQLiteOutboxStore(folder: harness.folder) else { continue }
      let blobs = BlobFolder(in: harness.folder)
      let storage = RequestStorage(blobs, spool: blobs, key: nil, secrets: Secrets())
      let claim = try? await store.claim(100, for: .seconds(1))
      for claimed in claim?.rows ?? [] {
        let request = try storage.request(from: claimed.content, of: claimed.row.id)
        let number = try #require(request.url.flatMap { UInt8($0.lastPathComponent) })
        #expect(request.method == .post && number < 8)
        if case .bytes(let data) = request.body.layout {
          #expect(data == Data(repeating: number, count: 3000))
        }
      }
      await store.abandon()
    }
  }
}
