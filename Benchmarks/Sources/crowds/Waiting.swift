import BenchmarkSupport
import CAllocator
import ErrandCore

/// Measures the memory of many waiting callers, each in a separate task. For comparison it measures the same
/// tasks without the client, each waiting only for a continuation.
struct Waiting {
  let callers: Int

  func report() async throws {
    print("\(callers) waiting callers, bytes per caller")
    let gate = Gate()
    let bare = try await memory(gate) { _ in try await gate.pass() }
    row("a task and a continuation", bare)
    let shared = GatedTransport()
    let sharing = Client(transport: shared)
    let one = Request.get("http://127.0.0.1/small").shared()
    row("a shared request", try await memory(shared.gate) { _ in try await sharing.send(one) })
    let taken = GatedTransport()
    let client = Client(transport: taken)
    client.limits = ConcurrencyLimits(total: 4)
    let own = Request.get("http://127.0.0.1/small")
    row("a request waiting for a slot", try await memory(taken.gate) { _ in try await client.send(own) })
  }

  private func row(_ name: String, _ bytes: Double?) {
    print("  \(name.left(28))\((bytes.map { $0.fixed(0) } ?? "-").right(11))")
  }

  private func memory(_ gate: Gate, _ call: @escaping @Sendable (Int) async throws -> Void) async throws
    -> Double?
  {
    let begun = Countdown(callers)
    // The memory of earlier callers must not be reused.
    allocator_trim()
    let before = ProcessUsage.memory
    return try await withThrowingDiscardingTaskGroup { group in
      for number in 0..<callers {
        group.addTask {
          begun.arrive()
          try await call(number)
        }
      }
      await begun.wait()
      // The last callers may not have begun to wait yet.
      try await Task.sleep(for: .milliseconds(200))
      let during = ProcessUsage.memory
      gate.open()
      return before.flatMap { before in during.map { Double($0 - before) / Double(callers) } }
    }
  }
}
