import BenchmarkSupport
@_spi(Benchmarks) import ErrandCore
import ErrandTesting

/// Measures the scheduler's steps with a thousand waiting requests and with very many.
struct QueueCost {
  let crowd: Int
  let rounds: Int
  private static let few = 1000

  private struct Step {
    let name: String
    let origins: (Int) -> Int?
    let nanoseconds: (inout Crowd, Int) -> Double
  }

  func report() {
    print("nanoseconds per step, medians of \(rounds) rounds")
    print("  waiting:".left(46) + "\(Self.few)".right(9) + "\(crowd)".right(9) + "ratio".right(8))
    for step in Self.steps {
      let (small, large) = (measure(step, Self.few), measure(step, crowd))
      line(step.name, small, large)
    }
    line("a plain linked list, leave and add, anyone", plainList(Self.few), plainList(crowd))
    print(
      "  a ratio like that of the plain list comes from memory access, not from the number of waiting requests"
    )
  }

  private func line(_ name: String, _ small: Double, _ large: Double) {
    let ratio = (large / small).fixed(2).right(8)
    print("  \(name)".left(46) + small.fixed(0).right(9) + large.fixed(0).right(9) + ratio)
  }

  private func plainList(_ count: Int) -> Double {
    let order = Self.shuffled(count)
    return Statistics.median(
      (0..<rounds).map { _ in
        let laps = max(1, 200_000 / count)
        var list = PlainList(count)
        return Self.timed(count * laps) { index in list.leaveAndAdd(order[index % count]) }
      })
  }

  private func measure(_ step: Step, _ count: Int) -> Double {
    Statistics.median(
      (0..<rounds).map { _ in
        // A thousand steps are too few to measure, so they are repeated.
        let laps = max(1, 200_000 / count)
        return (0..<laps).reduce(0) { sum, _ in
          var crowd = Crowd(count, origins: step.origins(count))
          return sum + step.nanoseconds(&crowd, count)
        } / Double(laps)
      })
  }

  private static var steps: [Step] {
    [
      Step(name: "add and take", origins: { _ in nil }, nanoseconds: addAndTake),
      Step(name: "add and take, 100 origins", origins: { _ in 100 }, nanoseconds: addAndTake),
      Step(name: "add and take, an origin for each ten", origins: { $0 / 10 }, nanoseconds: addAndTake),
      Step(name: "leave and add, oldest first", origins: { _ in nil }, nanoseconds: leaveOldestFirst),
      Step(name: "leave and add, anyone", origins: { _ in nil }, nanoseconds: leaveAnyone),
      Step(name: "leave and add, anyone, 100 origins", origins: { _ in 100 }, nanoseconds: leaveAnyone),
      Step(name: "raise, oldest first", origins: { _ in nil }, nanoseconds: raiseOldestFirst),
      Step(name: "raise, anyone", origins: { _ in nil }, nanoseconds: raiseAnyone),
    ]
  }

  private static func addAndTake(_ crowd: inout Crowd, _ count: Int) -> Double {
    timed(max(count, 5000)) { _ in crowd.addAndTake() }
  }

  private static func leaveOldestFirst(_ crowd: inout Crowd, _ count: Int) -> Double {
    timed(count) { crowd.leaveAndAdd($0) }
  }

  private static func leaveAnyone(_ crowd: inout Crowd, _ count: Int) -> Double {
    let order = shuffled(count)
    return timed(count) { crowd.leaveAndAdd(order[$0]) }
  }

  private static func raiseOldestFirst(_ crowd: inout Crowd, _ count: Int) -> Double {
    timed(count) { crowd.raise($0, to: .userInitiated) }
  }

  private static func raiseAnyone(_ crowd: inout Crowd, _ count: Int) -> Double {
    let order = shuffled(count)
    return timed(count) { crowd.raise(order[$0], to: .userInitiated) }
  }

  private static func shuffled(_ count: Int) -> [Int] {
    var random = SeededRandom(seed: 1)
    return (0..<count).shuffled(using: &random)
  }

  private static func timed(_ count: Int, _ work: (Int) -> Void) -> Double {
    let begin = ContinuousClock.now
    for index in 0..<count { work(index) }
    return (ContinuousClock.now - begin).inSeconds * 1e9 / Double(count)
  }
}
