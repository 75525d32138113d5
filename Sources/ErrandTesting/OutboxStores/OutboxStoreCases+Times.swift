import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxStoreConformance {
  private static func failed(_ next: Duration) -> FinishedTry.Outcome {
    .failed(reason: "", next: next, counts: true, wasOffline: false)
  }

  static let times: [Case] = [
    Case("lets what is over its time expire, and tells it") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a", lifetime: .seconds(5)), lab.new("b", lifetime: .seconds(5)))
      try await lab.finish(store, lab.take(store, "a"), failed(.seconds(60)))
      try lab.equal(try await lab.claim(store, 0).next, .zero, "the next")
      lab.advance(.seconds(5))
      let claim = try await lab.claim(store)
      try lab.equal(claim.expired.map(\.id.rawValue), ["a", "b"], "what expired")
      try lab.equal(claim.expired.map(\.state), [.expired, .expired], "the state")
      try lab.expect(claim.expired.allSatisfy { $0.reason != nil }, "there is no reason")
      try lab.equal(claim.expired.map(\.due), [nil, nil], "when it is due")
      try lab.equal(claim.rows.count, 0, "what was claimed")
      try lab.equal(claim.next, nil, "the next after that")
    },

    Case("says when the next expires") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a", lane: "l"), lab.new("b", lane: "l", lifetime: .seconds(50)))
      try lab.equal(try await lab.claim(store, for: .seconds(90)).next, .seconds(50), "the next")
    },

    Case("lets what is being tried end its try, though its time is over") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a", lifetime: .seconds(5)), lab.new("b", lifetime: .seconds(5)))
      let leases = try await lab.claim(store, for: .seconds(60)).rows.map(\.lease)
      lab.advance(.seconds(6))
      try lab.equal(try await lab.claim(store).expired.count, 0, "what expired")
      try await lab.finish(store, leases[0], .delivered(answer: Data()))
      try await lab.finish(store, leases[1], failed(.zero))
      try lab.equal(try await lab.claim(store).expired.map(\.id.rawValue), ["b"], "what expired then")
    },

    Case("expires what is recovered after its time, at once") { lab in
      let (one, two) = (try await lab.open(), try await lab.open())
      try await lab.add(one, lab.new("a", lifetime: .seconds(5)))
      _ = try await lab.take(one, "a")
      lab.advance(.seconds(6))
      try await lab.abandon(one)
      let claim = try await lab.claim(two)
      try lab.equal(claim.recovered.map(\.id.rawValue), ["a"], "what was recovered")
      try lab.equal(claim.expired.map(\.id.rawValue), ["a"], "what expired")
    },

    Case("expires many, in several goes") { lab in
      let store = try await lab.open()
      let rows = (0..<1500).map { lab.new("\($0)", lane: "\($0 % 3)", lifetime: .seconds(1)) }
      _ = try await store.add(rows, within: OutboxCaps(), at: lab.now)
      try await lab.add(store, lab.new("last", lane: "0"))
      lab.advance(.seconds(1))
      var expired: Set<OutboxID> = []
      for _ in 0..<1500 {
        let claim = try await lab.claim(store)
        expired.formUnion(claim.expired.map(\.id))
        if claim.rows.map(\.row.id.rawValue) == ["last"] { break }
        try lab.equal(claim.rows.count, 0, "what was claimed")
        try lab.equal(claim.next, .zero, "the next")
      }
      try lab.equal(expired.count, 1500, "what expired")
      try lab.equal(try await lab.state(store, "last"), .trying, "the state of the last")
    },

    Case("is not moved by a wall clock that is set") { lab in
      for jump in [Duration.seconds(-86_400), .seconds(86_400)] {
        let (id, other) = ("\(jump)", "\(jump) expiring")
        let store = try await lab.open()
        try await lab.add(store, lab.new(id), lab.new(other, lane: id, lifetime: .seconds(200)))
        for claimed in try await lab.claim(store).rows {
          try await lab.finish(store, claimed.lease, failed(.seconds(100)))
        }
        lab.setWall(by: jump)
        lab.advance(.seconds(99))
        let early = try await lab.claim(store)
        try lab.equal(early.rows.count + early.expired.count, 0, "what became of anything early")
        lab.advance(.seconds(1))
        try lab.equal(try await lab.claimed(store, for: .seconds(50)), [id, other], "what was claimed")
        lab.advance(.seconds(49))
        try lab.equal(try await lab.claimed(store), [], "what was claimed while leases hold")
        lab.advance(.seconds(51))
        let late = try await lab.claim(store)
        try lab.equal(late.recovered.count, 2, "what was recovered")
        try lab.equal(late.expired.map(\.id.rawValue), [other], "what expired")
        try lab.equal(late.rows.map(\.row.id.rawValue), [id], "what was claimed then")
        try await lab.finish(store, late.rows[0].lease, .delivered(answer: Data()))
      }
    },

    Case("waits for what is left of a delay after the machine was off") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a"), lab.new("b", lifetime: .seconds(300)))
      for claimed in try await lab.claim(store).rows {
        try await lab.finish(store, claimed.lease, failed(.seconds(100)))
      }
      try await lab.abandon(store)
      lab.restart(after: .seconds(40))
      let again = try await lab.open()
      let early = try await lab.claim(again)
      try lab.equal(early.rows.count, 0, "what was claimed early")
      try lab.equal(early.next, .seconds(60), "the next")
      lab.advance(.seconds(60))
      try lab.equal(try await lab.claimed(again, 1), ["a"], "what was claimed")
      lab.restart(after: .seconds(200))
      let claim = try await lab.claim(again)
      try lab.equal(claim.recovered.map(\.id.rawValue), ["a"], "what was recovered")
      try lab.equal(claim.expired.map(\.id.rawValue), ["b"], "what expired")
    },

    Case("waits no longer than the whole delay, if the clock was set back while the machine was off") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a"), lab.new("b", lane: "l", lifetime: .seconds(70)))
      for claimed in try await lab.claim(store).rows {
        try await lab.finish(store, claimed.lease, failed(.seconds(100)))
      }
      await store.close()
      lab.restart(after: .seconds(-1_000_000))
      let again = try await lab.open()
      try lab.equal(try await lab.claim(again).next, .seconds(70), "the next")
      lab.advance(.seconds(70))
      try lab.equal(try await lab.claim(again).expired.map(\.id.rawValue), ["b"], "what expired")
      lab.advance(.seconds(30))
      try lab.equal(try await lab.claimed(again), ["a"], "what was claimed")
    },

    Case("ends every lease when the machine starts anew") { lab in
      let (one, two) = (try await lab.open(), try await lab.open())
      try await lab.add(one, lab.new("a", lane: "l"), lab.new("b", lane: "l"))
      let lease = try await lab.take(one, "a", for: .seconds(1_000_000))
      lab.restart(after: .seconds(1))
      try await lab.add(two, lab.new("c"))
      let claim = try await lab.claim(two)
      try lab.equal(claim.recovered.map(\.id.rawValue), ["a"], "what was recovered")
      try lab.equal(claim.rows.map(\.row.id.rawValue), ["a", "c"], "what was claimed")
      try lab.equal(claim.rows.map(\.row.countedTries), [2, 1], "the tries that count")
      try lab.equal(try await one.renew([lease], for: .seconds(1), at: lab.now), [lease], "the lost")
    },
  ]
}
