import ErrandTesting
import TestSupport
import Testing

@testable import ErrandCore

/// Random sequences of activity events, with a timer that fires on time or late.
@Suite(.computesLong) struct ActivitySequenceTests {
  private struct Begun {
    let token: ActivityToken
    let text: String?
    let blocksInput: Bool
    var progress = TransferProgress(attempt: 1)
  }

  /// Records what an observer saw, and checks the rules that must hold.
  private struct Witness {
    let delay: Duration
    let minimum: Duration
    var before: RequestActivity.Snapshot
    private var busySince: Duration?
    private var shownSince = Duration.zero
    private var highest = 0.0

    init(_ delay: Duration, _ minimum: Duration, _ snapshot: RequestActivity.Snapshot) {
      self.delay = delay
      self.minimum = minimum
      before = snapshot
    }

    mutating func faults(
      of step: ActivityState.Step, _ now: RequestActivity.Snapshot, _ open: [Begun], at time: Duration
    ) -> [String] {
      var faults: [String] = []
      func check(_ isTrue: Bool, _ rule: String) { if !isTrue { faults.append(rule) } }
      busySince = open.isEmpty ? nil : busySince ?? time
      check(step.changes == now.changes(since: before), "it reports all changes, and nothing else")
      check(now.count == open.count, "it counts its requests")
      check(
        now.blocksInput == open.contains(where: \.blocksInput), "it blocks while one of its requests blocks")
      if !open.isEmpty {
        let text = open.last { $0.text != nil }?.text
        check(now.text == text ?? "own", "it has the text of the newest request with a text")
      }
      check(0...1 ~= now.fraction ?? 0, "its fraction is between 0 and 1")
      switch (before.isShown, now.isShown) {
      case (false, true):
        check(busySince.map { time >= $0 + delay } ?? false, "it is not shown before the delay")
        shownSince = time
        highest = 0
      case (true, false):
        check(open.isEmpty, "it is shown while it has a request")
        check(time >= shownSince + minimum, "it is shown for at least the minimum")
      default: break
      }
      if now.isShown, let fraction = now.fraction {
        check(fraction >= highest, "its fraction does not decrease")
        highest = fraction
      }
      if now.isShown == open.isEmpty {
        check(step.due != nil, "a timer is set while it waits or lingers")
      } else {
        check(step.due == nil, "no timer is set while it neither waits nor lingers")
      }
      if !now.isShown, open.isEmpty {
        check(now == RequestActivity.Snapshot(text: "own"), "it remembers nothing after its last request")
      }
      before = now
      return faults
    }
  }

  @Test(arguments: 1...60)
  func `an activity follows its display rules and reports the true state in any sequence of events`(
    seed: UInt64
  ) {
    var random = SeededRandom(seed: seed)
    let delay = Duration.milliseconds([0, 1, 40, 400].randomElement(using: &random) ?? 0)
    let minimum = Duration.milliseconds([0, 1, 50, 500].randomElement(using: &random) ?? 0)
    let lateness = seed.isMultiple(of: 3) ? 100 : 0
    var state = ActivityState(text: "own", delay: delay, minimum: minimum)
    var witness = Witness(delay, minimum, state.snapshot)
    var faults: [String] = []
    var now = Duration.zero
    var due: Duration?
    var open: [Begun] = []

    func check(_ step: ActivityState.Step) {
      if let next = step.due { due = min(due ?? next, next) }
      faults += witness.faults(of: step, state.snapshot, open, at: now)
    }

    func pass(_ time: Duration) {
      let end = now + time
      while let next = due, next <= end {
        now = max(now, next + .milliseconds(Int.random(in: 0...lateness, using: &random)))
        due = nil
        check(state.ring(at: now))
      }
      now = max(now, end)
    }

    for number in 0..<400 {
      pass(.milliseconds([0, 1, 10, 60, 300].randomElement(using: &random) ?? 0))
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<3:
        let text = Bool.random(using: &random) ? "text \(number)" : nil
        let blocksInput = Int.random(in: 0..<4, using: &random) == 0
        let (token, step) = state.begin(text: text, blocksInput: blocksInput, at: now)
        open.append(Begun(token: token, text: text, blocksInput: blocksInput))
        check(step)
      case 3..<6 where !open.isEmpty:
        let begun = open.remove(at: Int.random(in: open.indices, using: &random))
        check(state.end(begun.token, at: now))
      case 6..<10 where !open.isEmpty:
        let index = Int.random(in: open.indices, using: &random)
        advance(&open[index].progress, &random)
        check(state.progress(open[index].token, open[index].progress, at: now))
      default: break
      }
    }
    while let begun = open.popLast() { check(state.end(begun.token, at: now)) }
    pass(delay + minimum + .milliseconds(lateness))
    #expect(faults == [])
    #expect(state.snapshot == RequestActivity.Snapshot(text: "own"))
    #expect(due == nil)
  }

  private func advance(_ progress: inout TransferProgress, _ random: inout SeededRandom) {
    switch Int.random(in: 0..<12, using: &random) {
    case 0: progress = TransferProgress(attempt: progress.attempt + 1)
    case 1: progress.receivedTotal = progress.received + Int64.random(in: 0...1_000_000, using: &random)
    case 2: progress.sentTotal = progress.sent + Int64.random(in: 0...1_000_000, using: &random)
    case 3..<8:
      progress.received = min(
        progress.received + Int64.random(in: 0...100_000, using: &random), progress.receivedTotal ?? .max)
    default:
      progress.sent = min(
        progress.sent + Int64.random(in: 0...100_000, using: &random), progress.sentTotal ?? .max)
    }
  }
}
