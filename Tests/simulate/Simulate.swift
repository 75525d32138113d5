import ErrandCore
import Foundation
import SimulationWorlds

/// Runs many simulated worlds and tells of the first that fails, or one and tells everything.
@main struct Simulate {
  private static let usage =
    "usage: simulate [client|outbox] [SEEDS [FIRST]] | simulate [client|outbox] seed SEED"

  static func main() async {
    var arguments = CommandLine.arguments.dropFirst()
    var kinds = WorldKind.allCases
    if let kind = arguments.first.flatMap(WorldKind.init) {
      kinds = [kind]
      arguments = arguments.dropFirst()
    }
    if arguments.first == "seed" {
      guard arguments.count == 2, let seed = arguments.last.flatMap({ UInt64($0) }) else {
        return fail(usage)
      }
      let areFine = kinds.map { tell(seed, $0) }
      if areFine.contains(false) { exit(1) }
    } else {
      let numbers = arguments.compactMap { UInt64($0) }
      guard numbers.count == arguments.count, numbers.count <= 2 else { return fail(usage) }
      let (count, first) = (numbers.first ?? 10_000, numbers.dropFirst().first ?? 1)
      let (end, isTooLarge) = first.addingReportingOverflow(count)
      guard !isTooLarge else { return fail(usage) }
      var areFine = true
      for kind in kinds where await !run(first..<end, kind) { areFine = false }
      if !areFine { exit(1) }
    }
  }

  private static func run(_ seeds: Range<UInt64>, _ kind: WorldKind) async -> Bool {
    let clock = ContinuousClock()
    let start = clock.now
    let threads = ProcessInfo.processInfo.activeProcessorCount
    let run = await SeedRun.run(seeds, threads: threads) { kind.report($0) }
    let seconds = max(0.001, (clock.now - start).seconds)
    print(
      "\(kind): \(run.worlds) seeds in \(seconds.formatted(.number.precision(.fractionLength(1)))) s,",
      "\(Int(Double(run.worlds) / seconds)) seeds/s: \(run.jobs) jobs, \(run.callers) \(kind.unit),",
      "\(run.tries) tries")
    guard let failure = run.failure else {
      print("✓ no seed fails")
      return true
    }
    show(failure)
    print("again, with everything that happens: make simulate WORLD=\(kind) SEED=\(failure.seed)")
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

  private static func show(_ report: WorldReport) {
    print("✗ seed \(report.seed) fails:")
    for violation in report.violations { print("  \(violation)") }
  }

  private static func fail(_ message: String) {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(2)
  }
}
