#if os(Linux)
  import SimulationExecutor
  import SimulationWorlds
  import Testing

  @Suite(.serialized) struct OutboxWorldTests {
    #if ERRAND_SANITIZER
      private static let seeds = UInt64(1)..<101
    #else
      private static let seeds = UInt64(1)..<1001
    #endif

    @Test func `nothing is wrong with the outboxes of 1,000 seeds`() async {
      let run = await SeedRun.run(Self.seeds) { WorldReport.outbox($0) }
      #expect(run.worlds == Self.seeds.count)
      if let failure = run.failure {
        Issue.record("make simulate WORLD=outbox SEED=\(failure.seed) shows: \(failure.violations)")
      }
    }

    @Test func `a seed has one outbox world, down to the order of its jobs`() async {
      let traces = await OwnThread.run {
        (1...20).map { seed in (0..<2).map { _ in WorldReport.outbox(seed).trace } }
      }
      #expect(traces.allSatisfy { $0[0] == $0[1] })
      #expect(Set(traces.map { $0[0] }).count == traces.count)
    }

    @Test func `every invariant of an outbox has a defect that it finds`() {
      #expect(Set(OutboxDefect.allCases.map(\.invariant)) == Set(WorldReport.outboxInvariants))
    }

    @Test(arguments: OutboxDefect.allCases)
    func `an outbox with a defect is found out, by the invariant that is there for it`(
      _ defect: OutboxDefect
    ) async {
      let run = await SeedRun.run(1..<201) { WorldReport.outbox($0, defect: defect) }
      let found = run.failure?.violations.map(\.invariant) ?? []
      #expect(found.contains(defect.invariant), "\(defect): \(found)")
    }
  }
#endif
