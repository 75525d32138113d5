import ErrandCore
import Foundation

/// A program that runs once for each of many seeds, and reports the result in one line.
package struct SeededProgram {
  /// The name with its arguments, so that a seed can be run again.
  private let name: String
  private let seeds: Range<UInt64>

  /// Parses the arguments.
  /// - Parameters:
  ///   - arguments: The number of seeds, and the first seed. Ends the process if they are invalid.
  ///   - count: The number of seeds if none is given.
  package init(_ name: String, _ arguments: some Collection<String>, seeds count: UInt64) {
    self.name = name
    let numbers = arguments.compactMap { UInt64($0) }
    let (count, first) = (numbers.first ?? count, numbers.dropFirst().first ?? 1)
    let (end, isTooLarge) = first.addingReportingOverflow(count)
    guard numbers.count == arguments.count, numbers.count <= 2, !isTooLarge else {
      print("usage: \(name) [SEEDS [FIRST]]")
      exit(2)
    }
    seeds = first..<end
  }

  /// Runs all seeds, and ends the process with 1 at the first that fails.
  /// - Parameter work: Returns the complaints about a seed.
  package func run(_ work: (UInt64) async throws -> [String]) async {
    let clock = ContinuousClock()
    let start = clock.now
    for seed in seeds {
      var complaints: [String]
      do { complaints = try await work(seed) } catch { complaints = ["\(error)"] }
      guard complaints.isEmpty else {
        for complaint in complaints.prefix(10) { print("  \(complaint)") }
        print("✗ \(name): seed \(seed) fails; again: \(name) 1 \(seed)")
        exit(1)
      }
    }
    let seconds = (clock.now - start).seconds.formatted(.number.precision(.fractionLength(1)))
    print("✓ \(name): \(seeds.count) seeds in \(seconds) s")
  }
}
