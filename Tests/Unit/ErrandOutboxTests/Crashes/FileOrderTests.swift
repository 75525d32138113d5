import CrashCourse
import ErrandTesting
import Foundation
import TestSupport
import Testing

/// A content file and its folder entry are flushed before the row that names the file is stored.
@Suite(.timeLimit(.minutes(1))) struct FileOrderTests {
  /// Returns the failpoints that a process passes while it stores and delivers one file, together with its
  /// reports to the caller.
  private func steps() async throws -> [String] {
    let number = try #require((0..<100).first { TestRequest($0).kind == .file })
    let server = try MockServer()
    server.otherwise { _ in .response() }
    let place = try TemporaryFolder()
    var orders = WorkerOrders(
      folder: place.path("new/outbox"), server: server.url.absoluteString,
      numbers: number..<number + 1)
    orders.isTalkative = true
    let worker = try WorkerProcess(orders, output: place.file("said"))
    #expect(await worker.wait() == .exited(0))
    return worker.said.map { $0[0] == "place" ? $0[1] : $0[0] }
  }

  @Test func `a content file is flushed and renamed, and its folder flushed, before its row is stored`()
    async throws
  {
    var rest = try await steps()[...]
    // Each step happens after the previous one.
    for step in [
      // The flush of the folder that contains the outbox's new folder.
      "afterFolderFlush", "beforeMigration", "afterMigration", "open",
      "beforeFileWrite", "afterFileWrite", "afterFlush", "afterFileMove", "afterFlush", "afterFolderFlush",
      "afterFileCopy", "beforeBegin", "beforeCommit", "afterCommit", "beforeSend", "afterResponse",
      "beforeRecord",
      "beforeCommit", "afterCommit", "afterRecord", "beforeFileRemoval", "afterFileRemoval", "done",
    ] {
      let index = try #require(rest.firstIndex(of: step), "\(step) is out of order")
      rest = rest[(index + 1)...]
    }
  }

  @Test
  func `enqueue returns, and sending begins, only after the transaction that stores the request`()
    async throws
  {
    let steps = try await steps()
    let copied = try #require(steps.firstIndex(of: "afterFileCopy"))
    let stored = try #require(steps[copied...].firstIndex(of: "afterCommit"))
    #expect(try #require(steps.firstIndex(of: "accepted")) > stored)
    #expect(try #require(steps.firstIndex(of: "beforeSend")) > stored)
  }
}
