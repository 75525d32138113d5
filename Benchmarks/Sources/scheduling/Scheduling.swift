import BenchmarkSupport
import Foundation

/// Measures the cost of waiting for a slot and of taking a free one, and the waiting times under a mixed load.
@main
struct Scheduling {
  static func main() async {
    do {
      let arguments = try Arguments(["rounds", "crowd", "hours"])
      let rounds = try arguments.number("rounds", default: 5)
      QueueCost(crowd: try arguments.number("crowd", default: 1_000_000), rounds: rounds).report()
      try await FastPath(rounds: rounds).report()
      MixedLoadReport(hours: try arguments.number("hours", default: 24)).print()
    } catch {
      FileHandle.standardError.write(Data("scheduling: \(error)\n".utf8))
      exit(1)
    }
  }
}
