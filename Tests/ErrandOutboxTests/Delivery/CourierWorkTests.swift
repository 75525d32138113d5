import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

@Suite struct CourierWorkTests {
  private func claimed(_ number: Int64, _ origin: String = "") -> ClaimedRow {
    let id = OutboxID(rawValue: "\(number)")
    let row = OutboxRow(
      id: id, sequence: number, lane: nil, priority: 0, state: .trying, created: 0, changed: 0, tries: 1,
      countedTries: 1, due: nil, expires: nil, reason: nil, size: 1, summary: Data(), answer: nil,
      origin: origin)
    return ClaimedRow(row: row, content: Data(), lease: Lease(id: id, number: number))
  }

  @Test func `rows that do not name their origin are followed by others, though that origin is held`() throws
  {
    var work = CourierWork(
      state: CourierState(concurrency: 3, probes: 4, limits: .sample), nextBeat: .seconds(60))
    func claim(_ rows: [ClaimedRow], _ order: CourierState.Order, learned: Bool) {
      var claim = Claim()
      claim.rows = rows
      work.take(
        claim, of: order, until: .max, renewingBy: .max, learned: learned ? Set(rows.map(\.lease)) : [])
    }
    work.state.want()
    var order = try #require(work.step(at: .zero, ticks: 0).order)
    claim([claimed(1, "x")], order, learned: false)
    let lease = try #require(work.step(at: .zero, ticks: 0).rows.first).lease
    _ = work.state.answered(lease, .unauthorized(reason: "no"), hasReached: true, at: .zero)
    work.hand.end(FinishedTry(lease: lease, outcome: .returned))
    work.endRecording(try #require(work.step(at: .zero, ticks: 0).ended), isDone: true)
    work.state.want()
    order = try #require(work.step(at: .zero, ticks: 0).order)
    let room = try #require(order.wish.rooms[""])
    claim((0..<room).map { claimed(Int64($0 + 2), "x") }, order, learned: true)
    let step = work.step(at: .zero, ticks: 0)
    work.endRecording(try #require(step.ended), isDone: true)
    #expect(step.order != nil || work.step(at: .zero, ticks: 0).order != nil)
  }

  @Test func `what is recovered and has expired is told of once, as it is now`() {
    var claim = Claim()
    let recovered = (1...3).map { (number: Int64) -> OutboxRow in
      var row = claimed(number).row
      row.state = .stored
      return row
    }
    claim.recovered = recovered
    #expect(claim.changed == recovered)
    var (expired, setAside) = (recovered[0], recovered[2])
    expired.state = .expired
    setAside.state = .setAside
    (claim.expired, claim.setAside) = ([expired], [setAside])
    #expect(claim.changed == [recovered[1], expired, setAside])
  }

  @Test func `the place of an attempt that has come to hang is used at once`() throws {
    var work = CourierWork(
      state: CourierState(concurrency: 1, probes: 1, limits: .sample), nextBeat: .seconds(60))
    work.state.want()
    let order = try #require(work.step(at: .zero, ticks: 0).order)
    var claim = Claim()
    claim.rows = [claimed(1, "a"), claimed(2, "b")]
    work.take(claim, of: order, until: .max, renewingBy: .max, learned: [])
    #expect(work.step(at: .zero, ticks: 0).rows.map(\.lease.number) == [1])
    #expect(work.step(at: .seconds(1), ticks: 0).rows.map(\.lease.number) == [2])
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
