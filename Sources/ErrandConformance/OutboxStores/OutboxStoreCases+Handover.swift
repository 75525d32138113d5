import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxStoreHarness {
  /// Opens a store with a new owner, and skips the case if the store cannot hand requests over.
  fileprivate func openHandover() async throws -> any HandoverStore {
    guard let store = try await open() as? any HandoverStore else {
      throw ConformanceSkip(reason: "the store cannot hand requests over to sessions")
    }
    return store
  }
}

extension OutboxStoreConformance {
  static let handover: [Case] = [
    Case("does not claim a row that a session has, even after its process has ended") { harness in
      let one = try await harness.openHandover()
      try await harness.add(one, harness.new("a", lane: "l"), harness.new("b", lane: "l"), harness.new("c"))
      let leases = try await harness.claim(one, 2, for: .seconds(10)).rows.map(\.lease)
      try harness.equal(try await one.hand([leases[0]], to: "s"), [], "the lost")
      try await harness.abandon(one)
      harness.advance(.seconds(3600))
      let two = try await harness.openHandover()
      try harness.equal(try await harness.claimed(two), ["c"], "the claimed rows")
      try harness.equal(try await two.handed(to: "s"), [leases[0]], "the rows of the session")
      try harness.equal(try await two.handed(to: "t"), [], "the rows of another session")
      await two.close()
      let three = try await harness.openHandover()
      try harness.equal(try await three.handed(to: "s"), [leases[0]], "the rows of the session later")
    },

    Case("finishes a row that a session has, but only once") { harness in
      let (one, two) = (try await harness.openHandover(), try await harness.openHandover())
      try await harness.add(one, harness.new("a", lane: "l"), harness.new("b", lane: "l"))
      let lease = try await harness.take(one, "a")
      _ = try await one.hand([lease], to: "s")
      let failed = FinishedAttempt(
        lease: lease, outcome: .failed(reason: "no", next: .zero, counts: true, wasOffline: false))
      try harness.equal(try await two.finish([failed])[0].row?.state, .stored, "the state")
      try harness.equal(try await two.finish([failed])[0].row == nil, true, "the second end")
      try harness.equal(try await two.handed(to: "s"), [], "the rows of the session")
      let again = try await harness.take(two, "a")
      _ = try await two.hand([again], to: "s")
      let delivered = FinishedAttempt(lease: lease, outcome: .delivered(response: Data("r".utf8)))
      try harness.equal(try await one.finish([delivered])[0].row?.state, .delivered, "the late delivery")
      try harness.equal(try await one.handed(to: "s"), [], "the rows of the session then")
      try harness.equal(try await harness.claimed(two), ["b"], "the next of the lane")
    },

    Case("hands over no row whose lease was lost") { harness in
      let (one, two) = (try await harness.openHandover(), try await harness.openHandover())
      try await harness.add(one, harness.new("a"))
      let lease = try await harness.take(one, "a", for: .seconds(10))
      harness.advance(.seconds(10))
      let other = try await harness.take(two, "a", for: .seconds(10))
      try harness.equal(try await one.hand([lease], to: "s"), [lease], "the lost")
      try harness.equal(try await two.hand([other], to: "s"), [], "the lost leases of the other owner")
    },

    Case("recovers a row that a session has had for a week, and counts its attempt") { harness in
      let store = try await harness.openHandover()
      try await harness.add(store, harness.new("a"))
      let lease = try await harness.take(store, "a")
      _ = try await store.hand([lease], to: "s")
      harness.advance(SessionLease.length - .milliseconds(1))
      try harness.equal(try await harness.claimed(store), [], "the claimed rows early")
      harness.advance(.milliseconds(1))
      let claim = try await harness.claim(store)
      try harness.equal(claim.recovered.map(\.id.rawValue), ["a"], "the recovered rows")
      try harness.equal(claim.rows.map(\.row.countedAttempts), [2], "the attempts that count")
    },

    Case("does not claim a row that a session has after a restart of the machine") { harness in
      try harness.needsOneMachine()
      let one = try await harness.openHandover()
      try await harness.add(one, harness.new("a"), harness.new("b"))
      let leases = try await harness.claim(one, for: .seconds(10)).rows.map(\.lease)
      _ = try await one.hand([leases[0]], to: "s")
      try await harness.abandon(one)
      harness.restart(after: .seconds(60))
      let two = try await harness.openHandover()
      try harness.equal(try await harness.claimed(two), ["b"], "the claimed rows")
      try harness.equal(try await two.handed(to: "s"), [leases[0]], "the rows of the session")
      harness.advance(SessionLease.length)
      try harness.equal(
        try await harness.claimed(two).contains("a"), true, "whether it was recovered after a week")
    },

    Case("claims rows before they are due, and restores rows that were not sent") { harness in
      let store = try await harness.openHandover()
      try await harness.add(store, harness.new("a"), harness.new("b"))
      let lease = try await harness.take(store, "a")
      _ = try await store.finish([
        FinishedAttempt(
          lease: lease, outcome: .failed(reason: "no", next: .seconds(60), counts: true, wasOffline: false))
      ])
      harness.advance(.seconds(10))
      var bounds = ClaimBounds(10)
      bounds.horizon = .seconds(49)
      let near = try await store.claim(bounds, for: .seconds(1000))
      try harness.equal(near.rows.map(\.row.id.rawValue), ["b"], "the rows within the horizon")
      bounds.horizon = .seconds(50)
      let far = try await store.claim(bounds, for: .seconds(1000))
      try harness.equal(far.rows.map(\.row.id.rawValue), ["a"], "the rows within the longer horizon")
      try harness.equal(far.rows.map(\.wait), [.seconds(50)], "the wait")
      _ = try await store.finish(far.rows.map { FinishedAttempt(lease: $0.lease, outcome: .returned) })
      harness.advance(.milliseconds(49_999))
      try harness.equal(try await harness.claimed(store), [], "the rows that are due early")
      harness.advance(.milliseconds(1))
      try harness.equal(try await harness.claimed(store), ["a"], "the rows that are due")
    },

    Case("skips lanes, and claims as many rows of the others") { harness in
      let store = try await harness.openHandover()
      for index in 0..<20 { try await harness.add(store, harness.new("x\(index)", lane: "x\(index)")) }
      // The row's lane is a decomposed "é" and the skipped lane a composed one, so they are different lanes.
      try await harness.add(store, harness.new("a", lane: "e\u{301}"), harness.new("b"))
      var bounds = ClaimBounds(2)
      bounds.passedLanes = Set((0..<20).map { ExactBytes("x\($0)") } + [ExactBytes("\u{E9}")])
      let claim = try await store.claim(bounds, for: .seconds(10))
      try harness.equal(claim.rows.map(\.row.id.rawValue), ["a", "b"], "the claimed rows")
      try harness.equal(claim.next == .zero, false, "whether there is more")
    },

    Case("returns all claimed rows when it is suspended, except those that a session has") { harness in
      let (one, two) = (try await harness.openHandover(), try await harness.openHandover())
      try await harness.add(one, harness.new("a"), harness.new("b"))
      let leases = try await harness.claim(one, for: .seconds(1000)).rows.map(\.lease)
      _ = try await one.hand([leases[0]], to: "s")
      await one.suspend()
      await one.suspend()
      try harness.equal(try await harness.claimed(two), ["b"], "the claimed rows")
      // Each of these calls opens the suspended store for itself.
      try await harness.add(one, harness.new("c"))
      try harness.equal(try await one.handed(to: "s"), [leases[0]], "the rows of the session")
      try await one.resume()
      try await one.resume()
      try harness.equal(try await harness.claimed(one), ["c"], "the claimed rows when it was open again")
      await one.suspend()
      await one.close()
      try await harness.fails(.closed) { try await one.resume() }
      try await harness.fails(.closed) { _ = try await one.handed(to: "s") }
    },
  ]
}
