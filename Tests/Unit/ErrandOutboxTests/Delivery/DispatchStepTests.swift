import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

@Suite struct DispatchStepTests {
  @Test func `rows without a recorded origin cause further claims, even if their origin is held`() throws {
    var state = DispatchState(concurrency: 3, probes: 4, limits: .sample)
    func claim(_ rows: [ClaimedRow], _ order: DispatchState.Order, learned: Bool) {
      var claim = Claim()
      claim.rows = rows
      // Otherwise it would count as released by another process.
      claim.held = ["x"]
      state.claimed(
        claim, of: order, until: .max, renewingBy: .max, learned: learned ? Set(rows.map(\.lease)) : [],
        at: .zero)
    }
    state.want()
    var order = try #require(state.step(at: .zero, ticks: 0).order)
    claim([ClaimedRow.sample(1, "x")], order, learned: false)
    let lease = try #require(state.step(at: .zero, ticks: 0).rows.first).lease
    state.ended(
      FinishedAttempt(lease: lease, outcome: .returned), .unauthorized(reason: "no"), hasReached: true,
      at: .zero)
    _ = try #require(state.step(at: .zero, ticks: 0).ended)
    state.endRecording(isDone: true)
    state.want()
    order = try #require(state.step(at: .zero, ticks: 0).order)
    let capacity = try #require(order.wish.capacities[""])
    claim((0..<capacity).map { ClaimedRow.sample(Int64($0 + 2), "x") }, order, learned: true)
    // More rows of any origin may be behind these.
    #expect(state.demand.isOfAny)
    let step = state.step(at: .zero, ticks: 0)
    _ = try #require(step.ended)
    state.endRecording(isDone: true)
    #expect(step.order != nil || state.step(at: .zero, ticks: 0).order != nil)
  }

  @Test func `a claim reports a recovered row that has expired once, in its final state`() {
    var claim = Claim()
    let recovered = (1...3).map { (number: Int64) -> OutboxRow in
      var row = ClaimedRow.sample(number).row
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

  @Test func `the slot of a hanging attempt is reused at once`() throws {
    var state = DispatchState(concurrency: 1, probes: 1, limits: .sample)
    state.want()
    let order = try #require(state.step(at: .zero, ticks: 0).order)
    var claim = Claim()
    claim.rows = [ClaimedRow.sample(1, "a"), ClaimedRow.sample(2, "b")]
    state.claimed(claim, of: order, until: .max, renewingBy: .max, at: .zero)
    #expect(state.step(at: .zero, ticks: 0).rows.map(\.lease.number) == [1])
    #expect(state.step(at: .seconds(1), ticks: 0).rows.map(\.lease.number) == [2])
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `a dispatcher reports that it is idle each time it becomes idle, and only then`(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var state = DispatchState(concurrency: 3, probes: 4, limits: .sample)
    var sent: [Lease] = []
    var number: Int64 = 0
    var recording: [FinishedAttempt] = []
    var order: DispatchState.Order?
    var (told, idle) = (0, 0)
    var wasIdle = true
    for _ in 0..<5000 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0: state.want()
      case 1:
        guard let given = order else { continue }
        order = nil
        var claim = Claim()
        // Most claims return nothing.
        claim.rows = (0..<max(0, Int.random(in: -8...min(given.limit, 4), using: &random))).map {
          ClaimedRow.sample(number + Int64($0))
        }
        number += Int64(claim.rows.count)
        state.claimed(claim, of: given, until: .max, renewingBy: .max, at: .zero)
      case 2...5:
        guard !sent.isEmpty else { continue }
        let lease = sent.remove(at: Int.random(in: 0..<sent.count, using: &random))
        state.ended(
          FinishedAttempt(lease: lease, outcome: .returned), .responded, hasReached: true, at: .zero)
      default:
        guard !recording.isEmpty else { continue }
        state.endRecording(isDone: true)
        recording = []
      }
      let step = state.step(at: .zero, ticks: 0)
      sent += step.rows.map(\.lease)
      if let ended = step.ended { recording = ended }
      if let given = step.order { order = given }
      let isIdle = state.inFlight.isEmpty && order == nil
      told += step.hasNothing ? 1 : 0
      idle += isIdle && !wasIdle ? 1 : 0
      #expect(step.hasNothing == (isIdle && !wasIdle))
      wasIdle = isIdle
    }
    #expect(told == idle)
    #expect(told > 10)
  }
}
