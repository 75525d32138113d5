#if os(Linux)
  import SimulationExecutor
  import SimulationWorlds
  import Testing

  @Suite(.serialized) struct WorldTests {
    #if ERRAND_SANITIZER
      private static let seeds = UInt64(1)..<201
    #else
      private static let seeds = UInt64(1)..<2001
    #endif

    @Test func `nothing is wrong with the worlds of 2,000 seeds`() async {
      let run = await SeedRun.run(Self.seeds) { WorldReport.world($0) }
      #expect(run.worlds == Self.seeds.count)
      if let failure = run.failure {
        Issue.record("make simulate SEED=\(failure.seed) shows: \(failure.violations)")
      }
    }

    @Test func `a seed has one world, down to the order of its jobs`() async {
      let traces = await OwnThread.run {
        (1...50).map { seed in (0..<2).map { _ in WorldReport.world(seed).trace } }
      }
      #expect(traces.allSatisfy { $0[0] == $0[1] })
      #expect(Set(traces.map { $0[0] }).count == traces.count)
    }

    @Test func `every invariant has a defect that it finds`() {
      #expect(Set(Defect.allCases.map(\.invariant)) == Set(WorldReport.invariants))
    }

    @Test(arguments: Defect.allCases)
    func `a world with a defect is found out, by the invariant that is there for it`(_ defect: Defect) async {
      let run = await SeedRun.run(1..<501) { WorldReport.world($0, defect: defect) }
      let found = run.failure?.violations.map(\.invariant) ?? []
      #expect(found.contains(defect.invariant), "\(defect): \(found)")
    }
  }
#endif
