import BenchmarkSupport
@_spi(Benchmarks) import ErrandOutboxPostgres
import Foundation

/// Adds, claims and delivers rows of a store, with a thousand open rows at any time.
struct Passing {
  private static let open = 1000
  private static let step = 500

  let store: String
  let rows: Int
  let label: String

  /// Prints the rows per second in total and of each tenth.
  func report() async throws {
    let store = try await PostgresOutboxStore(store)
    let probe = StoreProbe(store)
    try await probe.add(Self.open)
    var tenths: [Double] = []
    let begin = ContinuousClock.now
    for _ in 0..<10 { tenths.append(try await rate(probe, rows / 10)) }
    let seconds = (ContinuousClock.now - begin).inSeconds
    while try await probe.pass() > 0 {}
    await store.close()
    print(
      "  \(label.left(36))\((Double(rows) / seconds).fixed(0).right(9)) /s  tenths: "
        + tenths.map { $0.fixed(0) }.joined(separator: " "))
  }

  private func rate(_ probe: StoreProbe, _ rows: Int) async throws -> Double {
    let begin = ContinuousClock.now
    var passed = 0
    while passed < rows {
      try await probe.add(Self.step)
      var rest = Self.step
      while rest > 0 {
        let count = try await probe.pass()
        guard count > 0 else { throw Arguments.Wrong(description: "a claim returned no rows") }
        rest -= count
      }
      passed += Self.step
    }
    return Double(passed) / (ContinuousClock.now - begin).inSeconds
  }
}
