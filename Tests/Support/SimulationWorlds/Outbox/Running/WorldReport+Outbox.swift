#if os(Linux)
  import ErrandTesting
  import SimulationExecutor

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  extension WorldReport {
    /// The names of the invariants that are checked in every world of an outbox.
    public static var outboxInvariants: [String] {
      [Invariant.noWaitForEver, Invariant.rest] + OutboxInvariant.all.map(\.name)
    }

    /// Runs the outbox's world of this seed, on this thread.
    /// - Parameters:
    ///   - defect: A deliberate defect, or nil.
    ///   - isTraced: True to log all events.
    public static func outbox(
      _ seed: UInt64, defect: OutboxDefect? = nil, isTraced: Bool = false
    ) -> WorldReport {
      let folder = FileManager.default.temporaryDirectory.appending(
        path: "errand-simulation-\(UUID().uuidString)", directoryHint: .isDirectory)
      defer { try? FileManager.default.removeItem(at: folder) }
      let simulation = Simulation(seed: seed)
      let world = OutboxWorld(simulation, in: folder, defect, isTraced: isTraced)
      let report = simulation.run(limit: 50_000) {
        do { return Result<OutboxEvidence, any Error>.success(try await world.live()) } catch {
          return .failure(error)
        }
      }
      let violations =
        switch report.outcome {
        case .finished(.success(let evidence)):
          OutboxInvariant.all.flatMap { invariant in
            invariant.violations(evidence).map { Violation(invariant: invariant.name, detail: $0) }
          }
        case .finished(.failure(let error)):
          [Violation(invariant: OutboxInvariant.store.name, detail: "\(error)")]
        case .stuck: [Violation(invariant: Invariant.noWaitForEver, detail: "the world still waits")]
        case .endless(let jobs):
          [Violation(invariant: Invariant.rest, detail: "not at rest after \(jobs) jobs")]
        }
      return WorldReport(
        seed: seed, violations: violations, jobs: report.jobs, trace: report.trace,
        callers: world.ledger.asks.count, attempts: world.network.attempts.count,
        log: isTraced ? LogLine.merged(world.ledger.log, world.network.attempts) : [])
    }
  }
#endif
