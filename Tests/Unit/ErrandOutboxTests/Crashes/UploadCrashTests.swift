import CrashCourse
import ErrandCore
import ErrandOutbox
import ErrandTesting
import Foundation
import TestSupport
import Testing

/// Processes that are killed while they upload.
@Suite(.timeLimit(.minutes(3))) struct UploadCrashTests {
  private let server: UploadServer
  private let place: TemporaryFolder

  init() throws {
    server = try UploadServer()
    place = try TemporaryFolder()
  }

  /// - Parameter stalls: True to kill the process when bytes have arrived.
  private func run(_ number: Int, until end: WorkerOrders.End, stalls: Bool = false) async throws
    -> WorkerProcess.End
  {
    let before = server.receivedBytes
    var orders = WorkerOrders(
      folder: place.path("outbox"), server: "http://127.0.0.1:\(server.url.port ?? 0)", numbers: 0..<number)
    (orders.uploads, orders.end) = (true, end)
    let worker = try WorkerProcess(orders, output: place.file("said"))
    if stalls {
      try await waitUntil { server.receivedBytes > before }
      worker.kill()
    }
    return await worker.wait()
  }

  /// Checks that each upload is complete once, and that no byte that was confirmed was sent again.
  private func expectOnce(_ number: Int, unfinished most: Int = 0) {
    for upload in (0..<number).map(TestUpload.init) {
      let found = server.uploads.filter {
        $0.fields[TestUpload.numberField] == "\(upload.number)" && $0.isComplete
      }
      #expect(found.map(\.content) == [upload.content], "upload \(upload.number)")
    }
    #expect(server.uploads.count { !$0.isComplete } <= most)
  }

  @Test(arguments: [
    (Failpoint.afterUploadKept, 1), (.afterUploadKept, 2), (.afterUploadKept, 3), (.afterUploadKept, 5),
    (.beforeSend, 2), (.afterResponse, 1), (.afterResponse, 3), (.beforeRecord, 1), (.afterRecord, 1),
  ])
  func `an upload continues after its process was killed`(_ place: Failpoint, _ count: Int) async throws {
    server.fail(.cut(after: 100_000), .cut(after: 50_000), .none, .cutBeforeResponse)
    #expect(try await run(4, until: .place(place, count)) == .killed)
    #expect(try await run(4, until: .done) == .exited(0))
    // The other three may be created in the moment of the kill, before the process can store where.
    expectOnce(4, unfinished: 3)
  }

  @Test func `an upload whose process is killed 40 times continues each time`() async throws {
    for _ in 0..<40 {
      server.fail(.stall(after: 5000))
      #expect(try await run(1, until: .done, stalls: true) == .killed)
    }
    #expect(try await run(1, until: .done) == .exited(0))
    expectOnce(1)
    // What was stored is not sent again.
    let offsets = server.server.requests.compactMap { $0.method == .patch ? $0.fields["Upload-Offset"] : nil }
    #expect(offsets == (1...40).map { "\($0 * 5000)" })
  }
}
