import BenchmarkSupport
@_spi(Benchmarks) import ErrandCore

/// Measures acquiring and releasing a free slot in one task.
struct FastPath {
  let rounds: Int

  func report() async throws {
    print("a free slot, acquire and release, medians of \(rounds) rounds")
    let plain = try await nanoseconds(ConcurrencyLimits())
    print("  a total limit".left(30) + "\(plain.fixed(0).right(8)) ns  (under 60)")
    let perOrigin = try await nanoseconds(ConcurrencyLimits(perOrigin: 2))
    print("  and a limit per origin".left(30) + "\(perOrigin.fixed(0).right(8)) ns")
  }

  private func nanoseconds(_ limits: ConcurrencyLimits) async throws -> Double {
    let count = 1_000_000
    var times: [Double] = []
    for _ in 0..<rounds {
      let begin = ContinuousClock.now
      try await SchedulerProbe.acquireAndRelease(count, limits)
      times.append((ContinuousClock.now - begin).inSeconds * 1e9 / Double(count))
    }
    return Statistics.median(times)
  }
}
