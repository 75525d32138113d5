import BenchmarkSupport
@_spi(Benchmarks) import ErrandOutboxPostgres
import Foundation

/// Measures claims from few and from very many open rows.
struct Claims {
  private static let few = 10_000
  private static let batch = 100

  let store: String
  let rows: Int
  let rounds: Int

  func report() async throws {
    let store = try await PostgresOutboxStore(store)
    let probe = StoreProbe(store)
    try await probe.add(Self.few)
    let small = try await cost(probe)
    try await probe.add(rows - Self.few)
    let large = try await cost(probe)
    try await probe.clear()
    await store.close()
    print("  \("claim of \(Self.batch) of \(Self.few) rows".left(36))\(small.fixed(2).right(9)) ms")
    print(
      "  \("claim of \(Self.batch) of \(rows) rows".left(36))\(large.fixed(2).right(9)) ms  "
        + "\((large / small).fixed(2)) times as long (at most 3)")
  }

  /// Returns the median time of a claim in milliseconds. The claimed rows are returned.
  private func cost(_ probe: StoreProbe) async throws -> Double {
    var times: [Double] = []
    for _ in 0..<rounds {
      let begin = ContinuousClock.now
      let claim = try await probe.claim(Self.batch)
      times.append((ContinuousClock.now - begin).inSeconds * 1000)
      guard claim.count == Self.batch else {
        throw Arguments.Wrong(description: "claimed \(claim.count) rows, not \(Self.batch)")
      }
      try await claim.giveBack()
    }
    return Statistics.median(times)
  }
}
