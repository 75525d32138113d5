import ErrandCore
import Foundation
import SimulationWorlds

/// Runs many simulated worlds and tells of the first that fails, or one and tells everything.
@main struct Simulate {
  private static let usage = "usage: simulate [SEEDS [FIRST]] | simulate seed SEED"

  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "seed" {
      guard arguments.count == 2, let seed = UInt64(arguments[1]) else { return fail(usage) }
      tell(seed)
    } else {
      let numbers = arguments.compactMap { UInt64($0) }
      guard numbers.count == arguments.count, numbers.count <= 2 else { return fail(usage) }
      let (count, first) = (numbers.first ?? 10_000, numbers.dropFirst().first ?? 1)
      let (end, isTooLarge) = first.addingReportingOverflow(count)
      guard !isTooLarge else { return fail(usage) }
      await run(first..<end)
    }
  }

  private static func run(_ seeds: Range<UInt64>) async {
    let clock = ContinuousClock()
    let start = clock.now
    let run = await SeedRun.run(seeds, threads: ProcessInfo.processInfo.activeProcessorCount)
    let seconds = max(0.001, (clock.now - start).seconds)
    print(
      "\(run.worlds) seeds in \(seconds.formatted(.number.precision(.fractionLength(1)))) s,",
      "\(Int(Double(run.worlds) / seconds)) seeds/s: \(run.jobs) jobs, \(run.callers) callers, \(run.tries) tries"
    )
    guard let failure = run.failure else { return print("✓ no seed fails") }
    show(failure)
    print("again, with everything that happens: make simulate SEED=\(failure.seed)")
    exit(1)
  }

  private static func tell(_ seed: UInt64) {
    let report = WorldReport.world(seed, isTraced: true)
    for line in report.log { print(line) }
    print("seed \(seed): \(report.jobs) jobs, trace \(String(report.trace, radix: 16))")
    guard !report.violations.isEmpty else { return print("✓ nothing is wrong") }
    show(report)
    exit(1)
  }

  private static func show(_ report: WorldReport) {
    print("✗ seed \(report.seed) fails:")
    for violation in report.violations { print("  \(violation)") }
  }

  private static func fail(_ message: String) {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(2)
  }
}
