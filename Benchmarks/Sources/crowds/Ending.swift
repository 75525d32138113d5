import BenchmarkSupport
import ErrandCore

/// Ends a scope with many requests that wait for slots, each with a waiting task.
struct Ending {
  /// The times of one round in milliseconds.
  private struct Outcome {
    /// From the end of the scope until the call returns.
    let returned: Double
    /// From the end of the scope until the last caller has its outcome.
    let told: Double
    /// The processor time of all processors until then.
    let cpu: Double
  }

  let requests: Int
  let rounds: Int

  func report() async throws {
    var outcomes: [Outcome] = []
    for _ in 0..<rounds { outcomes.append(try await round()) }
    print("a scope ends with \(requests) requests that wait for a slot, ms, \(rounds) rounds")
    print("  \("".left(28))" + ["least", "median", "longest"].map { $0.right(11) }.joined())
    func row(_ name: String, _ value: (Outcome) -> Double) -> String {
      let values = outcomes.map(value)
      let figures = [values.min() ?? .nan, Statistics.median(values), values.max() ?? .nan]
      return "  \(name.left(28))" + figures.map { $0.fixed(2).right(11) }.joined()
    }
    print(row("scope.end() returns", \.returned))
    print(row("every caller has its outcome", \.told) + "  (under 50)")
    print(row("processor time for that", \.cpu))
  }

  private func round() async throws -> Outcome {
    let transport = GatedTransport()
    let client = Client(transport: transport)
    let scope = RequestScope("page")
    let (taken, begun, ended) = (4, Countdown(requests), Countdown(requests))
    client.limits = ConcurrencyLimits(total: taken)
    let holders = (0..<taken).map { number in client.start(.get("http://127.0.0.1/holder/\(number)")) }
    while transport.count < taken { await Task.yield() }
    for number in 0..<requests {
      Task {
        begun.arrive()
        do {
          try await client.send(.get("http://127.0.0.1/\(number)"), in: scope)
        } catch  where error.isCancellation {
          ended.arrive()
        }
      }
    }
    await begun.wait()
    // The last requests may not have entered the scope yet.
    while scope.count < requests { await Task.yield() }
    let cpu = ProcessUsage.cpuSeconds
    let begin = ContinuousClock.now
    scope.end()
    let middle = ContinuousClock.now
    await ended.wait()
    let end = ContinuousClock.now
    let outcome = Outcome(
      returned: (middle - begin).inSeconds * 1000, told: (end - begin).inSeconds * 1000,
      cpu: (ProcessUsage.cpuSeconds - cpu) * 1000)
    transport.gate.open()
    for holder in holders { _ = try await holder.value }
    return outcome
  }
}
