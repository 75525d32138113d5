import ErrandCore
import Foundation
import SimulationExecutor
import SimulationWorlds

/// Runs many simulated worlds and reports the first that fails, or runs one and reports all its events.
@main struct Simulate {
  private static let usage = """
    usage: simulate [client|outbox] [SEEDS [FIRST]]  many worlds, up to the first that fails
           simulate [client|outbox] seed SEED        one world, and everything that happens in it
           simulate [client|outbox] repeat [SEEDS]   each world twice: the same things happen in the same order
           simulate [client|outbox] defects          worlds with a defect: each invariant finds its own
    """

  static func main() async {
    var arguments = CommandLine.arguments.dropFirst()
    var kinds = WorldKind.allCases
    if let kind = arguments.first.flatMap(WorldKind.init) {
      kinds = [kind]
      arguments = arguments.dropFirst()
    }
    let mode = arguments.first.flatMap { UInt64($0) == nil ? $0 : nil }
    let numbers = arguments.dropFirst(mode == nil ? 0 : 1).map { UInt64($0) }
    guard !numbers.contains(nil) else { return fail(usage) }
    var areFine = true
    for kind in kinds {
      let isFine: Bool
      switch (mode, numbers.count) {
      case (nil, 0...2):
        let (count, first) = (
          numbers.first.flatMap { $0 } ?? 10_000, numbers.dropFirst().first.flatMap { $0 } ?? 1
        )
        let (end, isTooLarge) = first.addingReportingOverflow(count)
        guard !isTooLarge else { return fail(usage) }
        isFine = await run(first..<end, kind)
      case ("seed", 1): isFine = tell(numbers.first.flatMap { $0 } ?? 1, kind)
      case ("repeat", 0...1): isFine = await runTwice(1..<(numbers.first.flatMap { $0 } ?? 50) + 1, kind)
      case ("defects", 0): isFine = await findDefects(kind)
      default: return fail(usage)
      }
      if !isFine { areFine = false }
    }
    if !areFine { exit(1) }
  }

  private static func run(_ seeds: Range<UInt64>, _ kind: WorldKind) async -> Bool {
    let clock = ContinuousClock()
    let start = clock.now
    let threads = ProcessInfo.processInfo.activeProcessorCount
    let run = await SeedRun.run(seeds, threads: threads) { kind.report($0) }
    let seconds = max(0.001, (clock.now - start).seconds)
    let amount = """
      \(run.worlds) seeds in \(seconds.formatted(.number.precision(.fractionLength(1)))) s, \
      \(Int(Double(run.worlds) / seconds)) a second: \(run.jobs) jobs, \(run.callers) \(kind.unit), \(run.attempts) attempts
      """
    guard let failure = run.failure else {
      print("✓ simulate \(kind): \(amount)")
      return true
    }
    show(failure)
    print("✗ simulate \(kind): \(amount)")
    print("  again, with everything that happens: make simulate WORLD=\(kind) SEED=\(failure.seed)")
    return false
  }

  private static func tell(_ seed: UInt64, _ kind: WorldKind) -> Bool {
    let report = kind.report(seed, isTraced: true)
    for line in report.log { print(line) }
    print("\(kind), seed \(seed): \(report.jobs) jobs, trace \(String(report.trace, radix: 16))")
    guard report.violations.isEmpty else {
      show(report)
      return false
    }
    print("✓ nothing is wrong")
    return true
  }

  private static func runTwice(_ seeds: Range<UInt64>, _ kind: WorldKind) async -> Bool {
    let traces = await OwnThread.run {
      seeds.map { seed in (0..<2).map { _ in kind.report(seed).trace } }
    }
    for (seed, trace) in zip(seeds, traces) where trace[0] != trace[1] {
      print("✗ simulate \(kind) repeat: seed \(seed) differs between two runs")
      return false
    }
    guard Set(traces.map { $0[0] }).count == traces.count else {
      print("✗ simulate \(kind) repeat: two seeds give the same world")
      return false
    }
    print("✓ simulate \(kind) repeat: \(traces.count) seeds give the same world twice, and all worlds differ")
    return true
  }

  private static func findDefects(_ kind: WorldKind) async -> Bool {
    var wrong = kind.invariants.subtracting(kind.defects.map(\.invariant)).sorted().map {
      "no defect tests: \($0)"
    }
    for defect in kind.defects {
      if await !OwnThread.run({ defect.isFound }) {
        wrong.append("\(defect.name) is not found by: \(defect.invariant)")
      }
    }
    guard wrong.isEmpty else {
      for line in wrong { print("  \(line)") }
      print("✗ simulate \(kind) defects: \(wrong.count) things are wrong with \(kind.defects.count) defects")
      return false
    }
    print(
      "✓ simulate \(kind) defects: \(kind.defects.count) are found, by all \(kind.invariants.count) invariants"
    )
    return true
  }

  private static func show(_ report: WorldReport) {
    print("  seed \(report.seed) fails:")
    for violation in report.violations { print("  \(violation)") }
  }

  private static func fail(_ message: String) {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(2)
  }
}
