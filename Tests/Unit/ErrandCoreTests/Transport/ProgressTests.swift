import ErrandTesting
import Testing

@testable import ErrandCore

/// The tracker and the mailbox of a call, and the progress that its handler receives.
private struct ProgressState {
  var tracker = ProgressTracker()
  var mailbox = ProgressMailbox()

  mutating func report(_ change: (inout ProgressTracker) -> Bool) -> Bool {
    change(&tracker) && mailbox.post(tracker.current)
  }
  mutating func begin(attempt: Int, sentTotal: Int64?) -> Bool {
    report { $0.begin(attempt: attempt, sentTotal: sentTotal) }
  }
  mutating func sent(_ bytes: Int64) -> Bool { report { $0.sent(bytes) } }
  mutating func receiving(from start: Int64, total: Int64?) -> Bool {
    report { $0.receiving(from: start, total: total) }
  }
  mutating func received(_ count: Int64) -> Bool { report { $0.received(count) } }
  mutating func next() -> TransferProgress? { mailbox.next() }
}

@Suite struct ProgressTests {
  private func drain(_ state: inout ProgressState) -> [TransferProgress] {
    var told: [TransferProgress] = []
    while let next = state.next() { told.append(next) }
    return told
  }

  @Test func `intermediate progress may be skipped, and the last of each attempt is never skipped`() {
    var state = ProgressState()
    let startsDelivery = [
      state.begin(attempt: 1, sentTotal: 10), state.sent(3), state.sent(5),
      state.begin(attempt: 2, sentTotal: 10), state.sent(10),
    ]
    #expect(startsDelivery == [true, false, false, false, false])
    let told = drain(&state)
    #expect(told.map(\.attempt) == [1, 1, 2, 2])
    #expect(told.map(\.sent) == [0, 5, 0, 10])
    let startsAgain = state.receiving(from: 0, total: 4)
    #expect(startsAgain)
  }

  @Test(arguments: 1...200)
  func `reported progress never decreases, stays within its totals, and announces each attempt`(
    seed: UInt64
  ) {
    var random = SeededRandom(seed: seed)
    var state = ProgressState()
    var told: [TransferProgress] = []
    var last: TransferProgress?
    var attempt = 0
    for _ in 0..<300 {
      switch Int.random(in: 0..<20, using: &random) {
      case 0:
        attempt += Int.random(in: 0...1, using: &random)
        _ = state.begin(attempt: max(1, attempt), sentTotal: Bool.random(using: &random) ? 500 : nil)
        attempt = max(1, attempt)
      case 1 where attempt > 0:
        _ = state.receiving(from: 0, total: Bool.random(using: &random) ? 700 : nil)
      case 2..<8 where attempt > 0: _ = state.sent(Int64.random(in: 0...600, using: &random))
      case 8..<14 where attempt > 0: _ = state.received(Int64.random(in: 0...100, using: &random))
      default: if let next = state.next() { told.append(next) }
      }
    }
    told += drain(&state)
    for progress in told {
      #expect(progress.sent <= progress.sentTotal ?? .max)
      #expect(progress.received <= progress.receivedTotal ?? .max)
      if let last {
        #expect(progress != last)
        #expect(progress.attempt == last.attempt || progress.attempt == last.attempt + 1)
        if progress.attempt == last.attempt {
          #expect(progress.sent >= last.sent)
          #expect(progress.received >= last.received)
        }
      }
      last = progress
    }
    #expect(Set(told.map(\.attempt)) == Set(attempt == 0 ? 1..<1 : 1..<(attempt + 1)))
  }
}
