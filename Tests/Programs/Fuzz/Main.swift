import Foundation

/// Puts random and malicious text into every string of a request: `fuzz [cases] [seed]`.
@main struct Main {
  static func main() async throws {
    let words = CommandLine.arguments.dropFirst().map { UInt64($0) }
    guard words.count <= 2, words.allSatisfy({ $0 != nil }) else {
      print("fuzz [cases] [seed]")
      exit(2)
    }
    let count = words.first.flatMap { $0 } ?? 20_000
    let first = words.count > 1 ? words[1] ?? 1 : 1
    let folder = FileManager.default.temporaryDirectory.appending(path: "errand-fuzz-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let began = ContinuousClock.now
    let fuzz = try await Fuzz(in: folder)
    var faults = 0
    for seed in first..<first + count {
      guard let fault = await fuzz.run(seed) else { continue }
      faults += 1
      print("FAULT with seed \(seed): \(fault)")
      if faults == 20 { break }
    }
    let kinds = fuzz.cases.keys.sorted().map { "\($0) \(fuzz.arrived[$0] ?? 0)/\(fuzz.cases[$0] ?? 0)" }
    print("fuzz: what arrived: \(kinds.joined(separator: ", "))")
    print("fuzz: \(count) cases from seed \(first), \(faults) faults, \(ContinuousClock.now - began)")
    // A run in which no request of some kind arrives would find no faults.
    let isBlind = count >= 20_000 && fuzz.cases.keys.contains { fuzz.arrived[$0] == 0 }
    try? FileManager.default.removeItem(at: folder)
    exit(faults == 0 && !isBlind ? 0 : 1)
  }
}
