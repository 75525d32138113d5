import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

@Suite(.timeLimit(.minutes(1))) struct AwayServerTests {
  // With `runsInCaller` the store runs on the caller's thread, which is shared, so nothing there may wait for
  // a disk.
  private let folder = StoreTestFolder(isOnDisk: false)
  private let clock = VirtualClock()

  private func time() -> StoreTime {
    let milliseconds = Int64(clock.now.offset / .milliseconds(1))
    return StoreTime(ticks: 1000 + milliseconds, wall: 1_700_000_000_000 + milliseconds, boot: "this boot")
  }

  @Test func `an outbox delivers everything when an unreachable server returns, without a burst of attempts`()
    async throws
  {
    let back = Duration.seconds(60)
    let vain = Locked(0)
    let transport = StubTransport(clock: clock) { [clock] _ in
      guard clock.now.offset < back else { return .response() }
      vain.withLock { $0 += 1 }
      return .fail(.cannotConnect, reachedServer: false)
    }
    var setup = StoreSetup()
    setup.runsInCaller = true
    setup.time = { [self] in time() }
    let store = try await SQLiteOutboxStore(folder: folder.url, setup: setup)
    var configuration = OutboxConfiguration()
    configuration.clock = clock
    configuration.date = { [self] in Date(milliseconds: time().wall) }
    configuration.reachability = nil
    var clientConfiguration = ClientConfiguration()
    clientConfiguration.clock = clock
    let client = Client(transport: transport, configuration: clientConfiguration)
    let outbox = try await Outbox(
      store: store, folder: folder.url, client: client, configuration: configuration)
    var receipts: [Receipt] = []
    for number in 0..<200 {
      receipts.append(
        try await outbox.enqueue(.post("http://example.com/\(number)"), lane: "lane \(number % 50)"))
    }
    let all = Task { [receipts] () async throws -> Bool in
      for receipt in receipts {
        guard case .delivered = try await receipt.outcome() else { return false }
      }
      return true
    }
    let isOver = Locked(false)
    let mover = Task { [clock] in
      while !isOver.withLock({ $0 }) {
        await clock.advance(by: .milliseconds(250))
        for _ in 0..<20 { await Task.yield() }
      }
    }
    #expect(try await all.value)
    isOver.withLock { $0 = true }
    await mover.value
    // At most twice the concurrency and the attempts in flight, then single probes at growing intervals.
    #expect(vain.withLock { $0 } < 32 + 16 + 10)
    #expect(clock.now.offset >= back)
    for entry in try await outbox.list(limit: 1000) { #expect(entry.state == .delivered) }
    await outbox.close()
  }
}
