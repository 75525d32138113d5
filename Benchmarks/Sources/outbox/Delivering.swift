import BenchmarkSupport
import ErrandCore
import ErrandCurl
@_spi(Benchmarks) import ErrandOutbox
@_spi(Benchmarks) import ErrandOutboxSQLite
import Foundation

/// Measures the delivery of stored requests, compared with a client that sends the same requests without an
/// outbox.
struct Delivering {
  private static let concurrency = 64

  let requests: Int
  let rounds: Int
  let url: String
  let place: Place

  private var request: Request { .post(url, .bytes(Data(repeating: 120, count: 200))) }

  func report() async throws {
    var plain: [Double] = []
    var stored: [Double] = []
    var commits: [Double] = []
    for _ in 0..<rounds {
      plain.append(try await plainRate())
      let (rate, perRequest) = try await storedRate()
      stored.append(rate)
      commits.append(perRequest)
    }
    print("\(requests) small POST requests, \(Self.concurrency) at once, median of \(rounds) rounds")
    print("  \("a client alone".left(34))\(Statistics.median(plain).fixed(0).right(9)) /s")
    print(
      "  \("delivered from an outbox".left(34))\(Statistics.median(stored).fixed(0).right(9)) /s  "
        + "\(Statistics.medianRatio(stored, plain).fixed(2)) of the client's rate (at least 0.5), "
        + "\(Statistics.median(commits).fixed(2)) commits per request")
  }

  private func client() -> Client {
    let client = Client(transport: CurlTransport())
    client.limits = .unlimited
    return client
  }

  private func plainRate() async throws -> Double {
    let client = client()
    let begin = ContinuousClock.now
    try await withThrowingTaskGroup { group in
      for index in 0..<Self.concurrency {
        let share = requests / Self.concurrency + (index < requests % Self.concurrency ? 1 : 0)
        group.addTask { [request] in for _ in 0..<share { try await client.send(request) } }
      }
      try await group.waitForAll()
    }
    let seconds = (ContinuousClock.now - begin).inSeconds
    await client.shutdown()
    return Double(requests) / seconds
  }

  private func storedRate() async throws -> (Double, commitsPerRequest: Double) {
    try await place.withFolder { folder in
      var configuration = OutboxConfiguration()
      configuration.concurrency = Self.concurrency
      configuration.perOrigin = Self.concurrency
      configuration.delivers = false
      let client = client()
      let outbox = try await Outbox(at: folder, client: client, configuration: configuration)
      try await outbox.enqueue(Array(repeating: request, count: requests))
      let before = outbox.commits
      let begin = ContinuousClock.now
      outbox.deliver()
      try await outbox.waitUntilEmpty()
      let seconds = (ContinuousClock.now - begin).inSeconds
      let commits = outbox.commits - before
      let delivered = try await outbox.statistics().counts[.delivered] ?? 0
      guard delivered == requests else {
        throw Arguments.Wrong(description: "\(delivered) of \(requests) were delivered")
      }
      await outbox.close()
      await client.shutdown()
      return (Double(requests) / seconds, Double(commits) / Double(requests))
    }
  }
}
