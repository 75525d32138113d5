import BenchmarkSupport
import ErrandCore

/// Lets many callers join one in-flight request, each in a task of its own; and runs the same tasks without
/// the client, each waiting on a continuation only.
struct Joining {
  /// Microseconds for each caller.
  private struct Cost {
    /// From the first task until the last has begun to wait.
    var joining: Double
    /// From then until the last has its response.
    var responding: Double
    var whole: Double { joining + responding }
    /// The processor time for the whole, of all processors.
    var cpu: Double
  }

  let callers: Int
  let rounds: Int

  func report() async throws {
    var (ours, bare): ([Cost], [Cost]) = ([], [])
    var flights = 0
    for round in 0...rounds {
      let transport = GatedTransport()
      let client = Client(transport: transport)
      let request = Request.get("http://127.0.0.1/small").shared()
      let own = try await measure(transport.gate) { _ = try await client.send(request) }
      let gate = Gate()
      let other = try await measure(gate) { try await gate.pass() }
      // The first round warms up.
      guard round > 0 else { continue }
      ours.append(own)
      bare.append(other)
      flights = max(flights, transport.count)
    }
    print("\(callers) callers join one flight, us each, least of \(rounds) rounds")
    print("  \("".left(28))" + ["joining", "answering", "whole", "cpu"].map { $0.right(11) }.joined())
    let columns: [KeyPath<Cost, Double>] = [\.joining, \.responding, \.whole, \.cpu]
    func least(_ costs: [Cost]) -> [Double] {
      columns.map { column in costs.map { $0[keyPath: column] }.min() ?? .nan }
    }
    func row(_ name: String, _ values: [Double]) -> String {
      "  \(name.left(28))" + values.map { $0.fixed(2).right(11) }.joined()
    }
    print(row("errand", least(ours)))
    print(row("a task and a continuation", least(bare)))
    print(row("errand's own", zip(least(ours), least(bare)).map { $0 - $1 }) + "  (whole: at most 2)")
    // A caller that was about to join while the response arrived begins anew.
    print("  flights, at most".left(30) + "\(flights)".right(11))
  }

  private func measure(_ gate: Gate, _ call: @escaping @Sendable () async throws -> Void) async throws -> Cost
  {
    let begun = Countdown(callers)
    let cpu = ProcessUsage.cpuSeconds
    let begin = ContinuousClock.now
    let middle = try await withThrowingDiscardingTaskGroup { group in
      for _ in 0..<callers {
        group.addTask {
          begun.arrive()
          try await call()
        }
      }
      await begun.wait()
      let middle = ContinuousClock.now
      gate.open()
      return middle
    }
    let end = ContinuousClock.now
    let unit = 1e6 / Double(callers)
    return Cost(
      joining: (middle - begin).inSeconds * unit, responding: (end - middle).inSeconds * unit,
      cpu: (ProcessUsage.cpuSeconds - cpu) * unit)
  }
}
