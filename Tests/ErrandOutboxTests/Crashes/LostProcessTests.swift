import CrashCourse
import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

/// Processes that are lost in the middle: killed by what they send, or stopped for longer than their leases.
@Suite(.timeLimit(.minutes(1))) struct LostProcessTests {
  private let lab: OutboxLab

  init() throws { lab = try OutboxLab() }

  private func orders(_ numbers: Range<Int>) -> WorkerOrders {
    WorkerOrders(folder: lab.folder.path, server: lab.server.url.absoluteString, numbers: numbers)
  }

  private func start(_ orders: WorkerOrders) throws -> WorkerProcess {
    let said = FileManager.default.temporaryDirectory.appending(path: "errand-said-\(UUID().uuidString)")
    return try WorkerProcess(orders, output: said)
  }

  @Test func `a request that ends its process each time is a dead letter after its attempts`() async throws {
    lab.server.otherwise { _ in .answer() }
    for attempt in 1...4 {
      var orders = orders(attempt == 1 ? 0..<1 : 0..<0)
      orders.maxTries = 3
      orders.end = .place(.beforeSend, 1)
      let end = await (try start(orders)).wait()
      #expect(end == (attempt < 4 ? .killed : .exited(0)))
    }
    let outbox = try await lab.outbox { $0.delivers = false }
    let entries = try await outbox.list()
    #expect(entries.map(\.state) == [.setAside] && entries.map(\.tries) == [3])
    #expect(entries[0].reason?.hasPrefix("tried 3 times; nobody knows how its last try ended") == true)
    #expect(lab.server.requests.isEmpty)
    await outbox.close()
  }

  @Test func `who was stopped for longer than its leases sends nothing that another has by then`()
    async throws
  {
    let gate = ServerGate()
    let count = Locked(0)
    lab.server.otherwise { _ in
      let isHeld = count.withLock { count in
        count += 1
        return count > 40
      }
      if isHeld { gate.pass() }
      return .answer()
    }
    var orders = orders(0..<400)
    orders.lease = 1500
    let worker = try start(orders)
    // Some are in flight, and more in its hands; it writes nothing any more.
    try await lab.server.waitForRequests(41)
    while worker.said.count(where: { $0.first == "accepted" }) < 400 {
      try await Task.sleep(for: .milliseconds(20))
    }
    worker.send(SIGSTOP)
    gate.open()
    let outbox = try await lab.outbox {
      $0.lease = .milliseconds(1500)
      $0.beat = .milliseconds(300)
    }
    // What the other has in its hands is taken over when its leases are over.
    while true {
      let counts = try await outbox.statistics().counts
      if counts[.trying, default: 0] + counts[.stored, default: 0] == 0 { break }
      try await Task.sleep(for: .milliseconds(50))
    }
    let counted = lab.server.requests.count
    worker.send(SIGCONT)
    #expect(await worker.wait() == .exited(0))
    // What it enqueues after that is another matter: of what was there when it slept, nothing comes again.
    let late = lab.server.requests.dropFirst(counted)
    let known = Set(lab.server.requests.prefix(counted).map(\.path))
    #expect(late.allSatisfy { !known.contains($0.path) })
    await outbox.close()
  }
}
