import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxStoreConformance {
  private static func failed(_ next: Duration) -> FinishedAttempt.Outcome {
    .failed(reason: "", next: next, counts: true, wasOffline: false)
  }

  static let times: [Case] = [
    Case("expires rows after their time, and returns them") { harness in
      let store = try await harness.open()
      try await harness.add(
        store, harness.new("a", lifetime: .seconds(5)), harness.new("b", lifetime: .seconds(5)))
      try await harness.finish(store, harness.take(store, "a"), failed(.seconds(60)))
      try harness.equal(try await harness.claim(store, 0).next, .zero, "the next")
      harness.advance(.seconds(5))
      let claim = try await harness.claim(store)
      try harness.equal(claim.expired.map(\.id.rawValue), ["a", "b"], "the expired rows")
      try harness.equal(claim.expired.map(\.state), [.expired, .expired], "the state")
      try harness.expect(claim.expired.allSatisfy { $0.reason != nil }, "the reason is missing")
      try harness.equal(claim.expired.map(\.due), [nil, nil], "its due time")
      try harness.equal(claim.rows.count, 0, "the claimed rows")
      try harness.equal(claim.next, nil, "the next after that")
    },

    Case("returns when the next row expires") { harness in
      let store = try await harness.open()
      try await harness.add(
        store, harness.new("a", lane: "l"), harness.new("b", lane: "l", lifetime: .seconds(50)))
      try harness.equal(try await harness.claim(store, for: .seconds(90)).next, .seconds(50), "the next")
    },

    Case("does not expire a row during its attempt") { harness in
      let store = try await harness.open()
      try await harness.add(
        store, harness.new("a", lifetime: .seconds(5)), harness.new("b", lifetime: .seconds(5)))
      let leases = try await harness.claim(store, for: .seconds(60)).rows.map(\.lease)
      harness.advance(.seconds(6))
      try harness.equal(try await harness.claim(store).expired.count, 0, "the expired rows")
      try await harness.finish(store, leases[0], .delivered(response: Data()))
      try await harness.finish(store, leases[1], failed(.zero))
      try harness.equal(
        try await harness.claim(store).expired.map(\.id.rawValue), ["b"], "the rows that expired then")
    },

    Case("expires a recovered row at once if its time has passed") { harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      try await harness.add(one, harness.new("a", lifetime: .seconds(5)))
      _ = try await harness.take(one, "a")
      harness.advance(.seconds(6))
      try await harness.abandon(one)
      let claim = try await harness.claim(two)
      try harness.equal(claim.recovered.map(\.id.rawValue), ["a"], "the recovered rows")
      try harness.equal(claim.expired.map(\.id.rawValue), ["a"], "the expired rows")
    },

    Case("expires many rows in several claims") { harness in
      let store = try await harness.open()
      let rows = (0..<1500).map { harness.new("\($0)", lane: "\($0 % 3)", lifetime: .seconds(1)) }
      _ = try await store.add(rows, within: OutboxCaps())
      try await harness.add(store, harness.new("last", lane: "0"))
      harness.advance(.seconds(1))
      var expired: Set<OutboxID> = []
      for _ in 0..<1500 {
        let claim = try await harness.claim(store)
        expired.formUnion(claim.expired.map(\.id))
        if claim.rows.map(\.row.id.rawValue) == ["last"] { break }
        try harness.equal(claim.rows.count, 0, "the claimed rows")
        try harness.equal(claim.next, .zero, "the next")
      }
      try harness.equal(expired.count, 1500, "the expired rows")
      try harness.equal(try await harness.state(store, "last"), .attempting, "the state of the last")
    },

    Case("ignores a wall clock that is set") { harness in
      for jump in [Duration.seconds(-86_400), .seconds(86_400)] {
        let (id, other) = ("\(jump)", "\(jump) expiring")
        let store = try await harness.open()
        try await harness.add(store, harness.new(id), harness.new(other, lane: id, lifetime: .seconds(200)))
        for claimed in try await harness.claim(store).rows {
          try await harness.finish(store, claimed.lease, failed(.seconds(100)))
        }
        harness.setWall(by: jump)
        harness.advance(.seconds(99))
        let early = try await harness.claim(store)
        try harness.equal(
          early.rows.count + early.expired.count, 0,
          "the number of claimed and expired rows before their time")
        harness.advance(.seconds(1))
        try harness.equal(
          try await harness.claimed(store, for: .seconds(50)), [id, other], "the claimed rows")
        harness.advance(.seconds(49))
        try harness.equal(try await harness.claimed(store), [], "the claimed rows while leases hold")
        harness.advance(.seconds(51))
        let late = try await harness.claim(store)
        try harness.equal(late.recovered.count, 2, "the recovered rows")
        try harness.equal(late.expired.map(\.id.rawValue), [other], "the expired rows")
        try harness.equal(late.rows.map(\.row.id.rawValue), [id], "the rows of the next claim")
        try await harness.finish(store, late.rows[0].lease, .delivered(response: Data()))
      }
    },

    Case("returns the remaining time of a claimed row, regardless of the wall clock") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a", lifetime: .seconds(9)), harness.new("b"))
      harness.advance(.seconds(2))
      harness.setWall(by: .seconds(86_400))
      let claim = try await store.claim(10, for: .seconds(60))
      try harness.equal(claim.rows.map(\.timeLeft), [.seconds(7), nil], "the remaining time")
    },

    Case("waits for the rest of a delay after the machine was off") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a"), harness.new("b", lifetime: .seconds(300)))
      for claimed in try await harness.claim(store).rows {
        try await harness.finish(store, claimed.lease, failed(.seconds(100)))
      }
      try await harness.abandon(store)
      harness.restart(after: .seconds(40))
      let again = try await harness.open()
      let early = try await harness.claim(again)
      try harness.equal(early.rows.count, 0, "the claimed rows early")
      try harness.equal(early.next, .seconds(60), "the next")
      harness.advance(.seconds(60))
      try harness.equal(try await harness.claimed(again, 1), ["a"], "the claimed rows")
      harness.restart(after: .seconds(200))
      let claim = try await harness.claim(again)
      try harness.equal(claim.recovered.map(\.id.rawValue), ["a"], "the recovered rows")
      try harness.equal(claim.expired.map(\.id.rawValue), ["b"], "the expired rows")
    },

    Case("waits no longer than the whole delay if the clock was set back while the machine was off") {
      harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a"), harness.new("b", lane: "l", lifetime: .seconds(70)))
      for claimed in try await harness.claim(store).rows {
        try await harness.finish(store, claimed.lease, failed(.seconds(100)))
      }
      await store.close()
      harness.restart(after: .seconds(-1_000_000))
      let again = try await harness.open()
      try harness.equal(try await harness.claim(again).next, .seconds(70), "the next")
      harness.advance(.seconds(70))
      try harness.equal(try await harness.claim(again).expired.map(\.id.rawValue), ["b"], "the expired rows")
      harness.advance(.seconds(30))
      try harness.equal(try await harness.claimed(again), ["a"], "the claimed rows")
    },

    Case("ends every lease when the machine restarts") { harness in
      try harness.needsOneMachine()
      let (one, two) = (try await harness.open(), try await harness.open())
      try await harness.add(one, harness.new("a", lane: "l"), harness.new("b", lane: "l"))
      let lease = try await harness.take(one, "a", for: .seconds(1_000_000))
      harness.restart(after: .seconds(1))
      try await harness.add(two, harness.new("c"))
      let claim = try await harness.claim(two)
      try harness.equal(claim.recovered.map(\.id.rawValue), ["a"], "the recovered rows")
      try harness.equal(claim.rows.map(\.row.id.rawValue), ["a", "c"], "the claimed rows")
      try harness.equal(claim.rows.map(\.row.countedAttempts), [2, 1], "the attempts that count")
      try harness.equal(try await one.renew([lease], for: .seconds(1)), [lease], "the lost")
    },
  ]
}
