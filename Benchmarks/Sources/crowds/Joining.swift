import BenchmarkSupport
import ErrandCore

/// Lets many callers join one in-flight request, each in a separate task. For comparison it runs the same tasks
/// without the client, each waiting only for a continuation.
struct Joining {
  /// The times of one round in microseconds per caller.
  private struct Cost {
    /// From the first task until the last has begun to wait.
    var joining: Double
    /// From then until the last caller has its response.
    var responding: Double
    var whole: Double { joining + responding }
    /// The processor time of all processors in total.
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
    print("\(callers) callers join one in-flight request, µs per caller, least of \(rounds) rounds")
    print("  \("".left(28))" + ["joining", "responding", "total", "cpu"].map { $0.right(11) }.joined())
    let columns: [KeyPath<Cost, Double>] = [\.joining, \.responding, \.whole, \.cpu]
    func least(_ costs: [Cost]) -> [Double] {
      columns.map { column in costs.map { $0[keyPath: column] }.min() ?? .nan }
    }
    func row(_ name: String, _ values: [Double]) -> String {
      "  \(name.left(28))" + values.map { $0.fixed(2).right(11) }.joined()
    }
    print(row("errand", least(ours)))
    print(row("a task and a continuation", least(bare)))
    print(row("difference", zip(least(ours), least(bare)).map { $0 - $1 }) + "  (total: at most 2)")
    // A caller that is about to join when the response arrives starts a new request.
    print("  in-flight requests, most".left(30) + "\(flights)".right(11))
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
