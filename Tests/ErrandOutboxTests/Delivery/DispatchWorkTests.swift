import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

@Suite struct DispatchWorkTests {
  private func claimed(_ number: Int64, _ origin: String = "") -> ClaimedRow {
    let id = OutboxID(rawValue: "\(number)")
    let row = OutboxRow(
      id: id, sequence: number, lane: nil, priority: 0, state: .attempting, created: 0, changed: 0,
      attempts: 1,
      countedAttempts: 1, due: nil, expires: nil, reason: nil, size: 1, summary: Data(), response: nil,
      origin: origin)
    return ClaimedRow(row: row, content: Data(), lease: Lease(id: id, number: number))
  }

  @Test func `rows without a recorded origin lead to further claims, though their origin is held`() throws {
    var work = DispatchWork(
      state: DispatchState(concurrency: 3, probes: 4, limits: .sample), nextPoll: .seconds(60))
    func claim(_ rows: [ClaimedRow], _ order: DispatchState.Order, learned: Bool) {
      var claim = Claim()
      claim.rows = rows
      work.take(
        claim, of: order, until: .max, renewingBy: .max, learned: learned ? Set(rows.map(\.lease)) : [])
    }
    work.state.want()
    var order = try #require(work.step(at: .zero, ticks: 0).order)
    claim([claimed(1, "x")], order, learned: false)
    let lease = try #require(work.step(at: .zero, ticks: 0).rows.first).lease
    _ = work.state.responded(lease, .unauthorized(reason: "no"), hasReached: true, at: .zero)
    work.inFlight.end(FinishedAttempt(lease: lease, outcome: .returned))
    work.endRecording(try #require(work.step(at: .zero, ticks: 0).ended), isDone: true)
    work.state.want()
    order = try #require(work.step(at: .zero, ticks: 0).order)
    let capacity = try #require(order.wish.capacities[""])
    claim((0..<capacity).map { claimed(Int64($0 + 2), "x") }, order, learned: true)
    let step = work.step(at: .zero, ticks: 0)
    work.endRecording(try #require(step.ended), isDone: true)
    #expect(step.order != nil || work.step(at: .zero, ticks: 0).order != nil)
  }

  @Test func `a claim reports a recovered row that has expired once, in its final state`() {
    var claim = Claim()
    let recovered = (1...3).map { (number: Int64) -> OutboxRow in
      var row = claimed(number).row
      row.state = .stored
      return row
    }
    claim.recovered = recovered
    #expect(claim.changed == recovered)
    var (expired, deadLettered) = (recovered[0], recovered[2])
    expired.state = .expired
    deadLettered.state = .deadLettered
    (claim.expired, claim.deadLettered) = ([expired], [deadLettered])
    #expect(claim.changed == [recovered[1], expired, deadLettered])
  }

  @Test func `the slot of a hanging attempt is used at once`() throws {
    var work = DispatchWork(
      state: DispatchState(concurrency: 1, probes: 1, limits: .sample), nextPoll: .seconds(60))
    work.state.want()
    let order = try #require(work.step(at: .zero, ticks: 0).order)
    var claim = Claim()
    claim.rows = [claimed(1, "a"), claimed(2, "b")]
    work.take(claim, of: order, until: .max, renewingBy: .max, learned: [])
    #expect(work.step(at: .zero, ticks: 0).rows.map(\.lease.number) == [1])
    #expect(work.step(at: .seconds(1), ticks: 0).rows.map(\.lease.number) == [2])
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `dispatch work reports that it is idle each time it becomes so, and only then`(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var work = DispatchWork(
      state: DispatchState(concurrency: 3, probes: 4, limits: .sample), nextPoll: .seconds(60))
    var sent: [Lease] = []
    var number: Int64 = 0
    var recording: [FinishedAttempt] = []
    var order: DispatchState.Order?
    var (told, idle) = (0, 0)
    var wasIdle = true
    for _ in 0..<5000 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0: work.state.want()
      case 1:
        guard let given = order else { continue }
        order = nil
        var claim = Claim()
        // Most claims bring nothing.
        claim.rows = (0..<max(0, Int.random(in: -8...min(given.limit, 4), using: &random))).map {
          claimed(number + Int64($0))
        }
        number += Int64(claim.rows.count)
        work.take(claim, of: given, until: .max, renewingBy: .max, learned: [])
      case 2...5:
        guard !sent.isEmpty else { continue }
        let lease = sent.remove(at: Int.random(in: 0..<sent.count, using: &random))
        _ = work.state.responded(lease, .responded, hasReached: true, at: .zero)
        work.inFlight.end(FinishedAttempt(lease: lease, outcome: .returned))
      default:
        guard !recording.isEmpty else { continue }
        work.endRecording(recording, isDone: true)
        recording = []
      }
      let step = work.step(at: .zero, ticks: 0)
      sent += step.rows.map(\.lease)
      if let ended = step.ended { recording = ended }
      if let given = step.order { order = given }
      let isIdle = work.inFlight.isEmpty && order == nil
      told += step.hasNothing ? 1 : 0
      idle += isIdle && !wasIdle ? 1 : 0
      #expect(step.hasNothing == (isIdle && !wasIdle))
      wasIdle = isIdle
    }
    #expect(told == idle)
    #expect(told > 10)
  }
}
