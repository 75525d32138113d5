import BenchmarkSupport
import ErrandOutbox
import ErrandOutboxPostgres
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
    let rowStore = RowStore(store)
    try await rowStore.add(Self.open)
    var tenths: [Double] = []
    let begin = ContinuousClock.now
    for _ in 0..<10 { tenths.append(try await rate(rowStore, rows / 10)) }
    let seconds = (ContinuousClock.now - begin).inSeconds
    while try await rowStore.pass() > 0 {}
    await store.close()
    print(
      "  \(label.left(36))\((Double(rows) / seconds).fixed(0).right(9)) /s  tenths: "
        + tenths.map { $0.fixed(0) }.joined(separator: " "))
  }

  private func rate(_ rowStore: RowStore, _ rows: Int) async throws -> Double {
    let begin = ContinuousClock.now
    var passed = 0
    while passed < rows {
      try await rowStore.add(Self.step)
      var rest = Self.step
      while rest > 0 {
        let count = try await rowStore.pass()
        guard count > 0 else { throw Arguments.Wrong(description: "a claim returned no rows") }
        rest -= count
      }
      passed += Self.step
    }
    return Double(passed) / (ContinuousClock.now - begin).inSeconds
  }
}
