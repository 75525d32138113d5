#if os(Linux)
  import CrashCourse
  import ErrandTesting
  import Foundation
  import TestSupport
  import Testing

  @Suite(
    .timeLimit(.minutes(4)),
    .enabled("network namespaces need root and iproute2") { await LinkedNetworks.isAllowed })
  struct BrokenLinkTests {
    private static let count = 1000

    /// Reachability is a hint: it speeds up delivery, and without it every request arrives as well.
    @Test(arguments: [true, false])
    func `a thousand requests arrive although the link goes down repeatedly`(watchesNetwork: Bool)
      async throws
    {
      let networks = try await LinkedNetworks.make()
      let server = try networks.onFarSide { try MockServer(onEveryAddress: ()) }
      let testServer = TestServer(server, seed: 1, checksHands: false)
      let place = try TemporaryFolder()
      var orders = WorkerOrders(
        folder: place.path("outbox"),
        server: "http://\(LinkedNetworks.farAddress):\(server.port)", numbers: 0..<Self.count)
      orders.watchesNetwork = watchesNetwork
      orders.attemptLimit = 1000
      let worker = try WorkerProcess(
        orders, output: place.file("said"), network: networks.near)
      for share in 1...4 {
        try await server.wait(for: "\(share) fifths of the requests") {
          $0.requests.count >= share * Self.count / 5
        }
        try await networks.cut()
        // The link stays down for this long.
        try await Task.sleep(for: .milliseconds(400))
        try await networks.mend()
      }
      let end = await worker.wait(within: .seconds(180))
      #expect(end == .exited(0), "\(worker.said.suffix(3))")
      let accepted = worker.said.filter { $0.first == "accepted" }.compactMap { Int($0[1]) }
      #expect(accepted.count == Self.count)
      let ledger = testServer.ledger
      #expect(Set(ledger.taken.keys) == Set(accepted))
      #expect(ledger.taken.values.allSatisfy { $0.count == 1 }, "a request arrived with two keys")
      #expect(ledger.violations.isEmpty)
    }
  }
#endif
