import ErrandCore
import ErrandTesting
import ErrandUploads
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox

/// Requests of the outbox whose uploads resume, over real connections.
@Suite(.timeLimit(.minutes(2))) struct ResumedDeliveryTests {
  private static let content = Data.seeded(3_000_000)

  private let harness: OutboxHarness
  private let server: UploadServer

  init() throws {
    harness = try OutboxHarness()
    server = try UploadServer()
  }

  private func item(
    _ server: UploadServer? = nil, _ resumption: UploadResumption = .automatic, id: OutboxID? = nil,
    lane: String? = nil, body: RequestBody = .bytes(content)
  ) -> OutboxItem {
    OutboxItem(.post((server ?? self.server).url, body), lane: lane, id: id, resuming: resumption)
  }

  /// Waits for the delivery, and checks that the server has the content once.
  @discardableResult
  private func expectOnce(_ receipt: Receipt, on server: UploadServer? = nil) async throws -> OutboxResponse {
    let outcome = try await receipt.outcome()
    let server = server ?? self.server
    #expect(server.uploads.count == 1)
    #expect(server.uploads.first?.content == Self.content && server.uploads.first?.isComplete == true)
    return try #require(outcome.response, "\(outcome)")
  }

  @Test func `a cut upload continues with the next attempt`() async throws {
    server.fail(.cut(after: 1_000_000), .cut(after: 500_000), .cut(after: 0))
    let outbox = try await harness.outbox()
    let receipt = try await outbox.enqueue(item())
    let response = try await expectOnce(receipt)
    #expect(response.body == Data("stored".utf8))
    #expect(server.receivedBytes < 3_200_000)
    #expect(try await receipt.status()?.attempts == 4)
    #expect(try await outbox.store.uploads(of: [receipt.id]) == [nil])
    await outbox.close()
  }

  @Test func `an upload continues after the outbox was closed, and is encrypted in between`() async throws {
    server.fail(.stall(after: 1_000_000))
    let key = OutboxKey.random()
    let outbox = try await harness.outbox { $0.key = key }
    let receipt = try await outbox.enqueue(item())
    try await waitUntil { server.receivedBytes >= 1_000_000 }
    let kept = try #require(try await outbox.store.uploads(of: [receipt.id]).first ?? nil)
    #expect(kept.range(of: Data("/uploads/".utf8)) == nil)
    await outbox.close(within: .zero)

    let again = try await harness.outbox { $0.key = key }
    let later = try #require(try await again.receipt(for: receipt.id))
    try await expectOnce(later)
    #expect(server.receivedBytes < 3_200_000)
    await again.close()
  }

  @Test func `a file that is stored, a form, and verified pieces of it resume`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("film.mp4")
    try Self.content.write(to: file)
    let outbox = try await harness.outbox { $0.key = OutboxKey.random() }
    server.fail(.cut(after: 2_000_000))
    try await expectOnce(try await outbox.enqueue(item(body: .file(file))))
    #expect(
      server.uploads[0].fields["Upload-Metadata"]?.contains(Data("film.mp4".utf8).base64EncodedString())
        == true)

    var rules = UploadServer.Rules()
    rules.dialects = [.tus]
    let tus = try UploadServer(rules)
    tus.fail(.cut(after: 10_000), .damage)
    var resumption = UploadResumption.tus
    resumption.isVerified = true
    resumption.maxRequestSize = 300_000
    try await expectOnce(try await outbox.enqueue(item(tus, resumption, body: .file(file))), on: tus)

    let forms = try UploadServer()
    forms.fail(.cut(after: 2_500_000), .cut(after: 100))
    let form = MultipartForm().field("a", "b").file("film", at: file)
    let outcome = try await outbox.enqueue(item(forms, body: .multipart(form))).outcome()
    #expect(outcome.response?.status == 201)
    #expect(forms.uploads.count == 1 && forms.receivedBytes < 3_300_000)
    #expect(forms.uploads.first?.content.range(of: Self.content) != nil)
    await outbox.close()
  }

  @Test func `attempts that make progress do not use up the attempts`() async throws {
    server.fail((0..<12).map { _ in .cut(after: 200_000) })
    let outbox = try await harness.outbox { $0.delivery.maxAttempts = 3 }
    try await expectOnce(try await outbox.enqueue(item()))
    await outbox.close()
  }

  @Test func `progress resets the counted attempts while the attempt is under way`() async throws {
    server.fail(.cut(after: 0), .cut(after: 0), .storeOnly(1_000_000), .stall(after: 0))
    let outbox = try await harness.outbox()
    let receipt = try await outbox.enqueue(item())
    try await waitUntil { server.receivedBytes >= 1_000_000 && server.server.requests.count >= 6 }
    let row = try #require(try await outbox.store.rows([receipt.id]).first ?? nil)
    #expect(row.state == .attempting && row.attempts == 3 && row.countedAttempts == 1, "\(row)")
    await outbox.close(within: .zero)
  }

  @Test
  func `an upload that makes no progress ends in the dead letters, and continues after a retry by hand`()
    async throws
  {
    server.fail([.cut(after: 1_000_000)] + (0..<8).map { _ in .cut(after: 0) })
    let outbox = try await harness.outbox { $0.delivery.maxAttempts = 3 }
    let receipt = try await outbox.enqueue(item())
    guard case .deadLettered = try await receipt.outcome() else {
      Issue.record("it was delivered")
      return
    }
    server.clearFaults()
    var selection = OutboxSelection()
    selection.ids = [receipt.id]
    _ = try await outbox.retry(selection)
    let again = try #require(try await outbox.receipt(for: receipt.id))
    try await expectOnce(again)
    #expect(server.receivedBytes < 3_700_000)
    await outbox.close()
  }

  @Test func `an upload that the server still holds for an earlier attempt is attempted again`() async throws
  {
    server.fail(.cut(after: 1_000_000), .status(423), .status(423), .status(423))
    let outbox = try await harness.outbox { $0.delivery.maxAttempts = 10 }
    try await expectOnce(try await outbox.enqueue(item()))
    await outbox.close()
  }

  @Test func `a server's limit makes a dead letter at once`() async throws {
    var rules = UploadServer.Rules()
    rules.limits = ["max-size": 1000]
    let small = try UploadServer(rules)
    let outbox = try await harness.outbox()
    let receipt = try await outbox.enqueue(item(small))
    guard case .deadLettered(let reason, _) = try await receipt.outcome() else {
      Issue.record("it was delivered")
      return
    }
    #expect(reason.contains("1000"))
    #expect(try await receipt.status()?.attempts == 1)
    await outbox.close()
  }

  @Test func `a complete upload whose response is lost counts once`() async throws {
    server.fail(.cutBeforeResponse)
    let outbox = try await harness.outbox()
    let response = try await expectOnce(try await outbox.enqueue(item()))
    #expect(response.status.isSuccess)
    #expect(server.receivedBytes == 3_000_000)
    await outbox.close()
  }

  @Test func `a server without support gets one plain request for each attempt`() async throws {
    let plain = harness.server
    let count = Locked(0)
    plain.on("POST", "/files") { _ in
      count.withLock { count in
        count += 1
        return count < 3 ? .response(status: 503) : .response(status: 201)
      }
    }
    let outbox = try await harness.outbox()
    let receipt = try await outbox.enqueue(
      OutboxItem(.post(plain.url("/files"), .bytes(Self.content)), resuming: .automatic))
    #expect(try await receipt.outcome().response?.status == 201)
    #expect(plain.requests.map(\.body) == [Self.content, Self.content, Self.content])
    #expect(Set(harness.keys("/files")).count == 1)
    await outbox.close()
  }

  @Test func `a server at another origin than the target keeps the upload, unless the request forbids it`()
    async throws
  {
    let gate = try MockServer()
    let location = Locked("")
    gate.on("POST", "/files") { _ in
      .response(status: 201, fields: ["Location": location.withLock { $0 }, "Tus-Resumable": "1.0.0"])
    }
    var rules = UploadServer.Rules()
    rules.dialects = [.tus]
    let tus = try UploadServer(rules)
    // An upload that the other server knows.
    let made = try await harness.client().send(
      Request.post(tus.url, .bytes(Data())).field("Tus-Resumable", "1.0.0").field("Upload-Length", "3000000"))
    location.withLock {
      $0 = made.fields["Location"].map { URL(string: $0, relativeTo: tus.url)?.absoluteString ?? "" } ?? ""
    }
    let outbox = try await harness.outbox()
    let receipt = try await outbox.enqueue(
      OutboxItem(.post(gate.url("/files"), .bytes(Self.content)), resuming: .tus))
    try await expectOnce(receipt, on: tus)
    await outbox.close()

    var redirects = RedirectPolicy()
    redirects.allowsOtherOrigins = false
    let before = tus.server.requests.count
    let strict = try await harness.outbox { $0.delivery.maxAttempts = 1 }
    let refused = try await strict.enqueue(
      OutboxItem(.post(gate.url("/files"), .bytes(Self.content)).redirects(redirects), resuming: .tus))
    guard case .deadLettered = try await refused.outcome() else {
      Issue.record("it was delivered")
      return
    }
    #expect(tus.server.requests.count == before)
    await strict.close()
  }

  @Test(arguments: [0, 401, 503])
  func `a server that keeps uploads for another origin does not hold that origin`(status: Int) async throws {
    let gate = harness.server
    let other = try MockServer()
    other.otherwise { _ in
      status == 0 ? .reset : .response(status: status, fields: ["Retry-After": "3600"])
    }
    let location = other.url("/uploads/1").absoluteString
    gate.on("POST", "/files") { _ in
      .response(status: 201, fields: ["Location": location, "Tus-Resumable": "1.0.0"])
    }
    gate.on("PUT", "/plain") { _ in .response() }
    let outbox = try await harness.outbox()
    _ = try await outbox.enqueue(
      (0..<4).map { _ in OutboxItem(.post(gate.url("/files"), .bytes(Self.content)), resuming: .tus) })
    try await waitUntil { other.requests.count >= 4 }
    let plain = try await outbox.enqueue(
      (0..<10).map { .put(gate.url("/plain"), .text("\($0)")) })
    for receipt in plain { #expect(try await receipt.outcome().response?.status == 200) }
    #expect(try await outbox.statistics().heldOrigins.isEmpty)
    await outbox.close(within: .zero)
  }

  // MARK: Progress

  @Test func `a receipt tells the progress, also that of an earlier launch`() async throws {
    server.fail(.cut(after: 1_000_000), .stall(after: 500_000))
    let outbox = try await harness.outbox()
    let receipt = try await outbox.enqueue(item())
    let reports = Locked<[TransferProgress]>([])
    let watching = Task { for await report in receipt.progress { reports.withLock { $0.append(report) } } }
    try await waitUntil {
      reports.withLock { $0.contains { $0.attempt == 2 && $0.sent > 1_000_000 } }
    }
    await outbox.close(within: .zero)
    await watching.value

    // The outbox does not deliver yet, so this is what was stored.
    let resting = try await harness.outbox { $0.delivers = false }
    let later = try #require(try await resting.receipt(for: receipt.id))
    var stream = later.progress.makeAsyncIterator()
    let first = try #require(await stream.next())
    #expect(first.sent == 1_000_000 && first.sentTotal == 3_000_000 && first.attempt == 2, "\(first)")
    resting.deliver()
    try await expectOnce(later)
    while await stream.next() != nil {}
    await resting.close()
  }

  @Test func `other requests have no progress, and its stream ends with them`() async throws {
    harness.server.on("POST", "/") { _ in .response() }
    let outbox = try await harness.outbox()
    let receipt = try await outbox.enqueue(.post(harness.server.url("/")))
    var count = 0
    for await _ in receipt.progress { count += 1 }
    #expect(count == 0)
    _ = try await receipt.outcome()
    // A stream that begins after the end is over.
    for await _ in receipt.progress { count += 1 }
    await outbox.close()
  }

  // MARK: What cannot resume

  @Test func `what can never resume is refused when it is enqueued`() async throws {
    let outbox = try await harness.outbox { $0.delivers = false }
    for request in [
      Request.post(server.url), Request.post(server.url, .bytes(Self.content)).compressed(),
    ] {
      let error = await #expect(throws: OutboxError.self) {
        try await outbox.enqueue(request, resuming: .automatic)
      }
      #expect(error?.code == .notStorable)
      // Without resumption it is like any other.
      _ = try await outbox.enqueue(request, resuming: .never)
    }
    await outbox.close()
  }

  @Test func `an exported request resumes anew where it is imported`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("film.mp4")
    try Self.content.write(to: file)
    let outbox = try await harness.outbox { $0.delivers = false }
    var resumption = UploadResumption.ietf
    resumption.maxRequestSize = 2_000_000
    _ = try await outbox.enqueue(item(nil, resumption, id: OutboxID(rawValue: "film"), body: .file(file)))
    let lines = try await outbox.exportedLines()
    await outbox.close()
    let other = try OutboxHarness()
    let target = try await other.outbox()
    try await target.import(lines: lines)
    let receipt = try #require(try await target.receipt(for: OutboxID(rawValue: "film")))
    server.fail(.cut(after: 1_000_000))
    try await expectOnce(receipt)
    #expect(server.server.requests.contains { $0.method == .patch })
    await target.close()
  }
}
