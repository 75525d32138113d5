import CrashCourse
import ErrandTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct TwoProcessesTests {
  @Test func `two processes with one file send each request once (realm-swift 8017, GRDB 1626)`() async throws
  {
    let server = try MockServer()
    server.otherwise { _ in .response().pausing(.milliseconds(1)) }
    let place = try TemporaryFolder()
    let workers = try (0..<2).map { index in
      let orders = WorkerOrders(
        folder: place.path("outbox"), server: server.url.absoluteString,
        numbers: index * 1000..<index * 1000 + 150)
      return try WorkerProcess(orders, output: place.file("said \(index)"))
    }
    for worker in workers { #expect(await worker.wait() == .exited(0), "\(worker.said.suffix(2))") }
    let requests = server.requests
    #expect(requests.count == 300 && Set(requests.map(\.path)).count == 300)
    #expect(requests.allSatisfy { $0.isComplete && TestRequest(path: $0.path)?.isWhole($0.body) == true })
  }
}
