import BenchmarkSupport
import Foundation

/// Runs two programs alternately, each time in a new process, because the memory layout of a process makes it
/// faster or slower for its whole life.
struct Comparison {
  /// A program with its load.
  private struct Runner {
    let program: String
    let load: String
  }

  private let plain: Runner
  private let full: Runner
  private let baseline: Runner
  /// The file for a child's output.
  private let note: String

  init(current: String, baseline: String) {
    plain = Runner(program: current, load: "plain")
    full = Runner(program: current, load: "full")
    self.baseline = Runner(program: baseline, load: "plain")
    let id = ProcessInfo.processInfo.processIdentifier
    note = FileManager.default.temporaryDirectory.appending(path: "overhead-\(id)").path
  }

  func remove() { try? FileManager.default.removeItem(atPath: note) }

  func times(tasks: Int, rounds: Int) throws -> String {
    let times = try inTurns([plain, baseline], tasks, rounds)
    let (ours, theirs) = (times[0], times[1])
    let (quickest, usual) = (Self.minimum, Statistics.median)
    return """
      plain requests, \(tasks == 1 ? "one task" : "\(tasks) tasks at once"), ns each, \(rounds) processes of each
      \(Self.head)
      \(Self.row("errand", ours))
      \(Self.row("baseline", theirs))
        \("errand/baseline".left(18))\((quickest(ours) / quickest(theirs)).fixed(3).right(12))\
      \((usual(ours) / usual(theirs)).fixed(3).right(12))  (at most 1.02)
      """
  }

  /// Measures a plain request, and the time that all features together add to it, without another client.
  func alone(rounds: Int) throws -> String {
    let times = try inTurns([plain, full], 1, rounds)
    let (quickest, usual) = (Self.minimum, Statistics.median)
    return """
      a request over a transport that responds at once, ns each, \(rounds) processes of each
      \(Self.head)
      \(Self.row("plain", times[0]))  (at most 1000 on a machine where it was 1400)
        \("added by all".left(18))\((quickest(times[1]) - quickest(times[0])).fixed(0).right(12))\
      \((usual(times[1]) - usual(times[0])).fixed(0).right(12))  (at most 2000)
      """
  }

  /// Measures the time that all features together add to the plain request of the baseline.
  func added(rounds: Int) throws -> String {
    let times = try inTurns([full, baseline], 1, rounds)
    let (ours, theirs) = (times[0], times[1])
    let (quickest, usual) = (Self.minimum, Statistics.median)
    return """
      scope, shared, priority, activity, checks and retries on one request, ns each, \(rounds) processes of each
      \(Self.head)
      \(Self.row("errand, all", ours))
      \(Self.row("baseline, plain", theirs))
        \("added".left(18))\((quickest(ours) - quickest(theirs)).fixed(0).right(12))\
      \((usual(ours) - usual(theirs)).fixed(0).right(12))  (at most 3000, better 2000)
      """
  }

  #if !BASELINE
    /// Measures the time that each feature alone adds to a plain request.
    func parts(rounds: Int) throws -> String {
      let parts = PartLoad.Part.allCases
      let times = try inTurns(
        [plain] + parts.map { Runner(program: plain.program, load: $0.rawValue) }, 1, rounds)
      let (quickest, usual) = (Self.minimum(times[0]), Statistics.median(times[0]))
      let rows = zip(parts, times.dropFirst()).map { part, times in
        "  \((part == .task ? "a task, bare" : part.rawValue).left(18))"
          + "\((Self.minimum(times) - quickest).fixed(0).right(12))"
          + "\((Statistics.median(times) - usual).fixed(0).right(12))"
      }
      let title = "added by each feature alone, ns, \(rounds) processes of each (a credential: at most 100)"
      return ([title, Self.head] + rows).joined(
        separator: "\n")
    }
  #endif

  /// Counts instructions, whose number hardly varies between runs. Returns nil without a tool that counts them.
  func instructions() throws -> String? {
    guard let counter = InstructionCounter.found(note: note) else { return nil }
    func each(_ runner: Runner) throws -> Double {
      try counter.each([runner.load], of: runner.program, requests: 2000)
    }
    let (ours, all, theirs) = (try each(plain), try each(full), try each(baseline))
    #if BASELINE
      let credentials = ""
    #else
      let parts = [PartLoad.Part.credential, .elsewhere]
      let credentials = try parts.map { part in
        let added = try each(Runner(program: plain.program, load: part.rawValue)) - ours
        return "\n  \("adds: \(part.rawValue)".left(18))\(added.fixed(0).right(12))"
      }.joined()
    #endif
    return """
      one task, instructions each
        \("errand, plain".left(18))\(ours.fixed(0).right(12))
        \("errand, all".left(18))\(all.fixed(0).right(12))
        \("baseline, plain".left(18))\(theirs.fixed(0).right(12))
        \("plain/baseline".left(18))\((ours / theirs).fixed(3).right(12))\(credentials)
      """
  }

  /// Returns the times of each runner's slices.
  private func inTurns(_ runners: [Runner], _ tasks: Int, _ rounds: Int) throws -> [[Double]] {
    var times = [[Double]](repeating: [], count: runners.count)
    for round in 0..<rounds {
      // The order alternates, because the first runner influences the second.
      for turn in runners.indices {
        let index = (round + turn) % runners.count
        times[index] += try slices(runners[index], tasks)
      }
    }
    return times
  }

  private func slices(_ runner: Runner, _ tasks: Int) throws -> [Double] {
    try Child.run(
      [
        runner.program, "--child", runner.load, "--tasks", "\(tasks)", "--requests", "500", "--slices", "60",
      ], output: note)
    return try String(contentsOfFile: note, encoding: .utf8).split(separator: "\n").compactMap { Double($0) }
  }

  private static let head = "  \("".left(18))\("minimum".right(12))\("median".right(12))"

  private static func row(_ name: String, _ times: [Double]) -> String {
    "  \(name.left(18))\(minimum(times).fixed(0).right(12))\(Statistics.median(times).fixed(0).right(12))"
  }

  private static func minimum(_ values: [Double]) -> Double { values.min() ?? .nan }
}
