import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

@Suite struct CourierWorkTests {
  private func claimed(_ number: Int64) -> ClaimedRow {
    let id = OutboxID(rawValue: "\(number)")
    let row = OutboxRow(
      id: id, sequence: number, lane: nil, priority: 0, state: .trying, created: 0, changed: 0, tries: 1,
      countedTries: 1, due: nil, expires: nil, reason: nil, size: 1, summary: Data(), answer: nil)
    return ClaimedRow(row: row, content: Data(), lease: Lease(id: id, number: number))
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `it tells that it is idle each time when it has come to be, and only then`(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var work = CourierWork(
      state: CourierState(concurrency: 3, probes: 4, limits: .sample), nextBeat: .seconds(60))
    var sent: [Lease] = []
    var number: Int64 = 0
    var recording: [FinishedTry] = []
    var order: CourierState.Order?
    var (told, idle) = (0, 0)
    var wasIdle = true
    for _ in 0..<5000 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0: work.state.want()
      case 1:
        guard let given = order else { continue }
        order = nil
        var claim = Claim()
        // Most bring nothing.
        claim.rows = (0..<max(0, Int.random(in: -8...min(given.limit, 4), using: &random))).map {
          claimed(number + Int64($0))
        }
        number += Int64(claim.rows.count)
        work.take(claim, of: given, until: .max, renewingBy: .max, learned: [])
      case 2...5:
        guard !sent.isEmpty else { continue }
        let lease = sent.remove(at: Int.random(in: 0..<sent.count, using: &random))
        _ = work.state.answered(lease, .answered, hasReached: true, at: .zero)
        work.hand.end(FinishedTry(lease: lease, outcome: .returned))
      default:
        guard !recording.isEmpty else { continue }
        work.endRecording(recording, isDone: true)
        recording = []
      }
      let step = work.step(at: .zero, ticks: 0)
      sent += step.rows.map(\.lease)
      if let ended = step.ended { recording = ended }
      if let given = step.order { order = given }
      let isIdle = work.hand.isEmpty && order == nil
      told += step.hasNothing ? 1 : 0
      idle += isIdle && !wasIdle ? 1 : 0
      #expect(step.hasNothing == (isIdle && !wasIdle))
      wasIdle = isIdle
    }
    #expect(told == idle)
    #expect(told > 10)
  }
}
