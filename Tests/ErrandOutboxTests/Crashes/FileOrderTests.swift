import CrashCourse
import ErrandTesting
import Foundation
import Testing

/// A file is on the disk under its name, and its folder knows so, before the row that names it is stored.
@Suite(.timeLimit(.minutes(1))) struct FileOrderTests {
  /// The places that a process passes that stores one file and delivers it, and what it says to its caller.
  private func steps() async throws -> [String] {
    let number = try #require((0..<100).first { Parcel($0).kind == .file })
    let server = try MockServer()
    server.otherwise { _ in .answer() }
    let place = FileManager.default.temporaryDirectory.appending(path: "errand-order-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    var orders = WorkerOrders(
      folder: place.appending(path: "new/outbox").path, server: server.url.absoluteString,
      numbers: number..<number + 1)
    orders.isTalkative = true
    let worker = try WorkerProcess(orders, output: place.appending(path: "said"))
    #expect(await worker.wait() == .exited(0))
    return worker.said.map { $0[0] == "place" ? $0[1] : $0[0] }
  }

  @Test func `a file is safe, then named, then its folder is safe, and only then its row is stored`()
    async throws
  {
    var rest = try await steps()[...]
    // Each of them comes after the one before it.
    for step in [
      // The outbox's own folder, in the one that it is in.
      "afterFolderFlush", "beforeMigration", "afterMigration", "open",
      "beforeFileWrite", "afterFileWrite", "afterFlush", "afterFileMove", "afterFlush", "afterFolderFlush",
      "afterFileCopy", "beforeBegin", "beforeCommit", "afterCommit", "beforeSend", "afterAnswer",
      "beforeRecord",
      "beforeCommit", "afterCommit", "afterRecord", "beforeFileRemoval", "afterFileRemoval", "done",
    ] {
      let index = try #require(rest.firstIndex(of: step), "\(step) is not where it should be")
      rest = rest[(index + 1)...]
    }
  }

  @Test
  func `a caller hears that a request is stored after the transaction is, and its sending begins after it`()
    async throws
  {
    let steps = try await steps()
    let copied = try #require(steps.firstIndex(of: "afterFileCopy"))
    let stored = try #require(steps[copied...].firstIndex(of: "afterCommit"))
    #expect(try #require(steps.firstIndex(of: "accepted")) > stored)
    #expect(try #require(steps.firstIndex(of: "beforeSend")) > stored)
  }
}
