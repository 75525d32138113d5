import ErrandCore
import ErrandTesting
import ErrandUploads
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

/// Stores and blob stores of other implementers, each with one fault, which costs at most a request and never
/// the process.
@Suite(.timeLimit(.minutes(1))) struct OddStoreTests {
  private let harness: OutboxHarness
  private let failures = StoreFailureLog()

  init() throws {
    harness = try OutboxHarness()
    harness.server.on("/") { _ in .response() }
  }

  private func outbox(
    _ fault: OddStore.Fault, configured change: (inout OutboxConfiguration) -> Void = { _ in }
  ) async throws -> Outbox {
    var configuration = harness.configuration
    change(&configuration)
    // Nothing in these tests waits for a poll.
    configuration.pollInterval = .seconds(3600)
    configuration.onStoreFailure = failures.add
    let store = try await SQLiteOutboxStore(folder: harness.folder)
    return try await Outbox(
      store: OddStore(store, fault), folder: harness.folder, client: harness.client(),
      configuration: configuration)
  }

  private func post() -> Request { .post(harness.server.url("/"), .text("x")) }

  @Test func `an upload whose request another owner may have is not continued`() async throws {
    let server = try UploadServer()
    let outbox = try await outbox(.losesAnUpload)
    let receipt = try await outbox.enqueue(
      .post(server.url, .bytes(Data.seeded(300_000))), resuming: .automatic)
    #expect(try await receipt.outcome().response?.status == 201)
    #expect(server.uploads.map(\.isComplete) == [false, true])
    await outbox.close()
  }

  @Test func `an outbox does not ask for a token before there can be one`() async throws {
    harness.server.otherwise { _ in .response() }
    let other = try MockServer()
    other.otherwise { _ in .response() }
    let asked = Locked(0)
    let port = harness.server.url.port
    let limit: @Sendable (URL, String?) -> RateLimit? = { url, _ in
      url.port == port ? RateLimit(requests: 1, per: .seconds(3600)) : nil
    }
    // Another process takes the only token.
    let earlier = try await harness.outbox { $0.rateLimitOf = limit }
    _ = try await earlier.enqueue(post()).outcome()
    await earlier.close()
    let outbox = try await outbox(.notesTokens { asked.withLock { $0 += 1 } }) { $0.rateLimitOf = limit }
    try await outbox.enqueue((0..<3).map { _ in post() })
    // Each of these lets the outbox claim again.
    for _ in 0..<20 { _ = try await outbox.enqueue(.post(other.url("/"), .text("x"))).outcome() }
    #expect(asked.withLock { $0 } <= 3)
    await outbox.close()
  }

  @Test func `lookups that return too little find nothing`() async throws {
    let outbox = try await outbox(.losesLookups)
    try await outbox.pause()
    let receipt = try await outbox.enqueue(post())
    #expect(try await outbox.status(of: receipt.id) == nil)
    #expect(try await outbox.receipt(for: receipt.id) == nil)
    #expect(try await outbox.export { _ in } == 0)
    await outbox.close()
  }

  @Test func `indices that no row has are ignored`() async throws {
    let outbox = try await outbox(.knowsTooMuch)
    let receipt = try await outbox.enqueue(post())
    #expect(receipt.isNew)
    #expect(try await receipt.outcome().response != nil)
    await outbox.close()
  }

  @Test func `a row that is claimed twice in one claim is sent once`() async throws {
    let outbox = try await outbox(.claimsTwice)
    let receipts = try await outbox.enqueue([post(), post(), post()])
    for receipt in receipts { #expect(try await receipt.outcome().response != nil) }
    #expect(harness.keys().count == 3)
    await outbox.close()
  }

  @Test func `a begin that fails is repeated and reported, and is not an attempt`() async throws {
    let outbox = try await outbox(.cannotBegin(2))
    let receipt = try await outbox.enqueue(post())
    #expect(try await receipt.outcome().response != nil)
    #expect(failures.codes == [.failed, .failed])
    #expect(try await outbox.status(of: receipt.id)?.attempts == 1)
    await outbox.close()
  }

  @Test func `a receipt reports its outcome even if the reply to its recording was lost`() async throws {
    let outbox = try await outbox(.losesAReply)
    let receipt = try await outbox.enqueue(post())
    #expect(try await receipt.outcome().response != nil)
    #expect(harness.keys().count == 1)
    await outbox.close()
  }

  @Test(arguments: OddStore.Call.allCases)
  func `an outbox can be closed while a call of its store waits for a server`(_ call: OddStore.Call)
    async throws
  {
    if call == .used {
      // The sweep looks it up.
      let (files, zeros) = (harness.folder.appending(path: "files"), { String(repeating: "0", count: $0) })
      try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
      try Data("x".utf8).write(to: files.appending(path: "\(zeros(64)).x.\(zeros(16))"))
    }
    let store = OddStore(try await SQLiteOutboxStore(folder: harness.folder), .isAway(in: call))
    let clock = VirtualClock()
    var configuration = harness.configuration
    configuration.clock = clock
    let outbox = try await Outbox(
      store: store, folder: harness.folder, client: harness.client(), configuration: configuration)
    if call != .used { try await outbox.enqueue(post()) }
    try await store.waitForCall()
    // The limit, and the time that a store has after it.
    await clock.run { await outbox.close(within: .milliseconds(100)) }
    await #expect(throws: OutboxError.self) { try await outbox.enqueue(post()) }
  }

  @Test func `a blob store that returns too few blobs makes the enqueue fail`() async throws {
    let store = try await SQLiteOutboxStore(folder: harness.folder)
    let outbox = try await Outbox(
      store: store, blobs: ForgetfulBlobs(), client: harness.client(), configuration: harness.configuration)
    await #expect(throws: OutboxError.self) {
      try await outbox.enqueue(.post(harness.server.url("/"), .bytes(Data(count: 100_000))))
    }
    #expect(try await outbox.list().isEmpty)
    await outbox.close()
  }

  @Test func `no value of the poll interval or the lease stops deliveries`() async throws {
    for time in [Duration.zero, .seconds(-1)] {
      let outbox = try await harness.outbox {
        $0.pollInterval = time
        $0.lease = time
      }
      #expect(outbox.configuration.pollInterval == .milliseconds(100))
      #expect(try await outbox.enqueue(post()).outcome().response != nil)
      await outbox.close()
    }
  }

  @Test func `a wall clock that is set forward does not shorten an attempt`() async throws {
    harness.server.on("/slow") { _ in .response().pausing(.milliseconds(100)) }
    let outbox = try await harness.outbox {
      $0.date = { Date().addingTimeInterval(30 * 86_400) }
      $0.delivery.maxAttempts = 1
    }
    let receipt = try await outbox.enqueue(.post(harness.server.url("/slow")), expires: .seconds(60))
    #expect(try await receipt.outcome().response != nil)
    await outbox.close()
  }

  @Test func `infinite and invalid wall-clock times do not crash the process`() {
    #expect(Date(timeIntervalSince1970: .infinity).milliseconds == 1 << 53)
    #expect(Date(timeIntervalSince1970: -.infinity).milliseconds == -(1 << 53))
    #expect(Date(timeIntervalSince1970: .nan).milliseconds == 0)
    #expect(Date(timeIntervalSince1970: 1.5).milliseconds == 1500)
  }

  @Test(arguments: ["//x", "ftp://x", "x", ""])
  func `only an http or https origin can be resumed`(_ origin: String) async throws {
    let outbox = try await harness.outbox { $0.delivers = false }
    await #expect(throws: OutboxError.self) { try await outbox.resume(origin: origin) }
    await outbox.close()
  }
}

/// Stores nothing, and returns no blob.
private final class ForgetfulBlobs: BlobStore {
  let location = "nowhere"

  func put(_ sources: [BlobSource]) async throws -> [StoredBlob] { [] }
  func open(_ name: String, size: Int64) throws -> any BodyReader { throw OutboxError(.damaged, "gone") }
  func check(_ name: String, size: Int64) throws {}
  func remove(_ names: [String]) async {}
  func sweep(used: ([String]) async throws -> Set<String>) async throws -> [String] { [] }
  func value(_ name: String) async throws -> Data? { nil }
  func setValue(_ data: Data, _ name: String) async throws {}
}
