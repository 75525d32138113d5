#if os(Linux)
  import ErrandTesting
  import SimulationExecutor

  extension WorldReport {
    /// The names of the invariants that are checked in every world.
    public static var invariants: [String] {
      [Invariant.noWaitForEver, Invariant.rest] + Invariant.all.map(\.name)
    }

    /// Runs the world of this seed, on this thread.
    /// - Parameters:
    ///   - defect: A deliberate defect, or nil.
    ///   - isTraced: True to log all events.
    public static func world(_ seed: UInt64, defect: Defect? = nil, isTraced: Bool = false) -> WorldReport {
      let ledger = Ledger(isTraced: isTraced, repeatsEnds: defect == .respondsTwice)
      let simulation = Simulation(seed: seed)
      let world = World(simulation, ledger, defect)
      let report = simulation.run { await world.live() }
      var violations: [Violation] = []
      switch report.outcome {
      case .finished(let evidence):
        violations = Invariant.all.flatMap { invariant in
          invariant.violations(evidence).map { Violation(invariant: invariant.name, detail: $0) }
        }
      case .stuck:
        violations = ledger.callers.filter { $0.ends.isEmpty }.map {
          Violation(invariant: Invariant.noWaitForEver, detail: "\($0) waits")
        }
        if violations.isEmpty {
          violations = [Violation(invariant: Invariant.noWaitForEver, detail: "the world still waits")]
        }
      case .endless(let jobs):
        violations = [Violation(invariant: Invariant.rest, detail: "not at rest after \(jobs) jobs")]
      }
      return WorldReport(
        seed: seed, violations: violations, jobs: report.jobs, trace: report.trace,
        callers: ledger.callers.count,
        attempts: world.network.attempts.count,
        log: isTraced ? LogLine.merged(ledger.log, world.network.attempts) : []
      )
    }
  }
#endif
