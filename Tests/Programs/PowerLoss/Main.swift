import ErrandTesting
import Foundation

/// Simulates power losses of machines with an outbox, and counts the lost requests:
/// `power-loss [cuts] [first seed]`.
@main struct PowerLoss {
  static func main() async throws {
    let words = CommandLine.arguments.dropFirst().map { Int($0) }
    guard words.count <= 2, words.allSatisfy({ $0.map { $0 > 0 } ?? false }) else {
      print("power-loss [cuts] [first seed]")
      exit(2)
    }
    let wanted = words.first.flatMap { $0 } ?? 1000
    let first = words.count > 1 ? words[1] ?? 1 : 1
    let base = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
    let folder = URL(filePath: base).appending(path: "errand-power-loss-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }

    // The test must detect a disk that only claims that data is durable, because otherwise it tests nothing.
    let liar = try await runs(from: first, until: wanted / 10, lies: true, in: folder)
    let honest = try await runs(from: first, until: wanted, lies: false, in: folder)
    for violation in honest.violations { print("VIOLATION: \(violation)") }
    print(
      "power-loss: \(honest.cuts) losses of power, \(honest.violations.count) violations; "
        + "\(liar.unlucky) of \(liar.runs) runs on a disk that lies were detected")
    if !honest.violations.isEmpty || liar.unlucky == 0 { exit(1) }
  }

  private static func runs(
    from first: Int, until cuts: Int, lies: Bool, in folder: URL
  ) async throws -> (cuts: Int, runs: Int, unlucky: Int, violations: [String]) {
    var (done, runs, unlucky) = (0, 0, 0)
    var violations: [String] = []
    while done < cuts && (lies || violations.isEmpty) {
      let place = folder.appending(path: "run \(runs)\(lies ? ", lied to" : "")")
      var run = try PowerLossRun(seed: UInt64(first + runs), lies: lies, in: place)
      try await run.run()
      try? FileManager.default.removeItem(at: place)
      done += run.cuts
      runs += 1
      if !run.violations.isEmpty { unlucky += 1 }
      violations += run.violations
    }
    return (done, runs, unlucky, violations)
  }
}
