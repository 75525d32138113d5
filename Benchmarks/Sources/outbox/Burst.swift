import BenchmarkSupport
import ErrandCore
import ErrandCurl
import ErrandOutbox
import ErrandOutboxSQLite
import Foundation

/// Measures the time until urgent requests arrive while many tasks enqueue one other request each, in new lanes.
struct Burst {
  let requests: Int
  let rounds: Int
  let url: String
  let place: Place

  func report() async throws {
    var alone: [Double] = []
    var beside: [Double] = []
    for _ in 0..<rounds {
      alone.append(try await slowest(besideBurst: false))
      beside.append(try await slowest(besideBurst: true))
    }
    print("urgent requests from enqueue to delivery, the slowest of a round, median of \(rounds) rounds")
    print("  \("alone".left(44))\(Statistics.median(alone).fixed(3).right(8)) s")
    print(
      "  \("beside \(requests) in \(requests / 10) new lanes".left(44))"
        + "\(Statistics.median(beside).fixed(3).right(8)) s (at most 0.3)")
  }

  private func slowest(besideBurst hasBurst: Bool) async throws -> Double {
    try await place.withFolder { folder in
      var configuration = OutboxConfiguration()
      configuration.reachability = nil
      let client = Client(transport: CurlTransport())
      let outbox = try await Outbox(at: folder, client: client, configuration: configuration)
      let slowest = try await withThrowingTaskGroup(of: Void.self, returning: Double.self) { group in
        if hasBurst {
          for number in 0..<requests { group.addTask { [self] in try await outbox.enqueue(item(number)) } }
        }
        var slowest = 0.0
        for _ in 0..<40 {
          let begin = ContinuousClock.now
          _ = try await outbox.enqueue(.post(url, .bytes(Data("urgent".utf8))).priority(.userInitiated))
            .outcome()
          slowest = max(slowest, (ContinuousClock.now - begin).inSeconds)
          try await Task.sleep(for: .milliseconds(50))
        }
        try await group.waitForAll()
        return slowest
      }
      await outbox.close(within: .zero)
      await client.shutdown(within: .zero)
      return slowest
    }
  }

  private func item(_ number: Int) -> OutboxItem {
    OutboxItem(
      .post(url, .bytes(Data(repeating: 120, count: 200))).priority(.background),
      lane: "burst/\(number % (requests / 10))")
  }
}
