import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxStoreConformance {
  private static func hold(_ origin: String, _ kind: OriginHold.Kind, for length: Duration) -> OriginNews {
    OriginNews(
      origin: origin, change: .hold(kind, reason: "no", label: Data("label of \(origin)".utf8), for: length))
  }

  /// Each is told `news` by the end of an attempt of its own.
  private static func tell(_ news: [OriginNews], _ store: any OutboxStore, _ lab: OutboxStoreLab) async throws
  {
    let ends = news.map {
      FinishedTry(lease: Lease(id: "nobody".outboxID, number: 1), outcome: .returned, news: $0)
    }
    _ = try await store.finish(ends, at: lab.now)
  }

  private static func claimed(
    _ bounds: ClaimBounds, _ store: any OutboxStore, _ lab: OutboxStoreLab
  ) async throws -> [String] {
    try await store.claim(bounds, for: .seconds(60), at: lab.now).rows.map(\.row.id.rawValue)
  }

  static let origins: [Case] = [
    Case("passes over origins without room, however many rows they have in front") { lab in
      let store = try await lab.open()
      _ = try await store.add(
        (0..<500).map { lab.new("dead \($0)", origin: "dead") }, within: OutboxCaps(), at: lab.now)
      for (id, origin) in [("a", "x"), ("b", "x"), ("c", "y"), ("d", "x"), ("e", "z"), ("f", "y")] {
        try await lab.add(store, lab.new(id, origin: origin))
      }
      var bounds = ClaimBounds(100)
      bounds.rooms = ["dead": 0, "x": 2]
      bounds.perOther = 1
      let claim = try await store.claim(bounds, for: .seconds(60), at: lab.now)
      try lab.equal(claim.rows.map(\.row.id.rawValue), ["a", "b", "c", "e"], "what was claimed")
      try lab.equal(claim.rows.map(\.row.origin), ["x", "x", "y", "z"], "the origins")
      try lab.equal(claim.next, .seconds(60), "the next, when leases end")
      bounds.rooms["dead"] = 1
      bounds.others = 1
      bounds.limit = 2
      let next = try await store.claim(bounds, for: .seconds(60), at: lab.now)
      try lab.equal(next.rows.map(\.row.id.rawValue), ["dead 0", "d"], "what was claimed then")
      try lab.equal(next.next, .zero, "the next, while there is more")
      try lab.equal(try await claimed(bounds, store, lab), ["dead 1", "f"], "what was claimed at last")
    },

    Case("takes the most important first, and of these the oldest, whatever their origins") { lab in
      let store = try await lab.open()
      _ = try await store.add(
        (0..<100).map { lab.new("full \($0)", priority: 3, origin: "full") }, within: OutboxCaps(),
        at: lab.now)
      for (id, priority, origin) in [
        ("a", 0, "x"), ("b", 2, "y"), ("c", 1, "x"), ("d", 2, "x"), ("e", 2, "y"),
      ] {
        try await lab.add(store, lab.new(id, priority: priority, origin: origin))
      }
      var bounds = ClaimBounds(4)
      bounds.rooms = ["full": 1]
      try lab.equal(try await claimed(bounds, store, lab), ["full 0", "b", "d", "e"], "what was claimed")
    },

    Case("claims nothing of an origin that is held, for anybody, until that ends") { lab in
      let (one, two) = (try await lab.open(), try await lab.open())
      try await lab.add(one, lab.new("a", origin: "x"), lab.new("b", origin: "y"))
      try await tell([hold("x", .trouble, for: .seconds(10))], one, lab)
      let holds = try await two.statistics().heldOrigins
      try lab.equal(
        holds,
        [
          OriginHold(
            origin: "x", label: Data("label of x".utf8), kind: .trouble, reason: "no",
            until: lab.now.wall + 10_000)
        ], "what is held")
      let claim = try await lab.claim(two)
      try lab.equal(claim.rows.map(\.row.id.rawValue), ["b"], "what was claimed")
      try lab.equal(claim.held, ["x"], "what a claim says is held")
      try lab.equal(claim.next, .seconds(10), "the next")
      try lab.equal(try await two.statistics().nextDue, lab.now.wall + 10_000, "when the next is due")
      lab.advance(.seconds(10))
      _ = try await lab.take(two, "a")
      try lab.equal(try await one.statistics().heldOrigins, [], "what is held then")
    },

    Case("never ends a hold earlier because of a shorter one") { lab in
      let (one, two) = (try await lab.open(), try await lab.open())
      try await lab.add(one, lab.new("a", origin: "x"))
      try await tell([hold("x", .busy, for: .seconds(3600))], one, lab)
      try await tell([hold("x", .trouble, for: .seconds(1))], two, lab)
      lab.advance(.seconds(2))
      try lab.equal(try await lab.claimed(two), [], "what was claimed")
      try lab.equal(try await one.statistics().heldOrigins.map(\.kind), [.busy], "why it is held")
      try await tell([hold("x", .trouble, for: .seconds(7200))], two, lab)
      try lab.equal(try await one.statistics().heldOrigins.map(\.kind), [.trouble], "why it is held longer")
    },

    Case("takes what is for a named origin from behind those of many others") { lab in
      let store = try await lab.open()
      _ = try await store.add(
        (0..<200).map { lab.new("other \($0)", origin: "origin \($0)") }, within: OutboxCaps(), at: lab.now)
      try await lab.add(
        store, lab.new("a", origin: "x"), lab.new("b", origin: "y"), lab.new("c", priority: 1, origin: "x"),
        lab.new("d", origin: "x"), lab.new("e", origin: "y"))
      var bounds = ClaimBounds(.max)
      (bounds.rooms, bounds.perOther, bounds.others) = (["x": 2, "y": 1], 1, 3)
      let expected = ["c", "other 0", "other 1", "other 2", "a", "b"]
      try lab.equal(try await claimed(bounds, store, lab), expected, "what was claimed")
      bounds.limit = 4
      let claim = try await store.claim(bounds, for: .seconds(60), at: lab.now)
      try lab.equal(
        claim.rows.map(\.row.id.rawValue), ["other 3", "other 4", "other 5", "d"], "what was claimed then")
      try lab.equal(claim.next, .zero, "the next, while there is more")
    },

    Case("ends holds by hand, one or all") { lab in
      let store = try await lab.open()
      for origin in ["x", "y", "z"] {
        try await lab.add(store, lab.new(origin, origin: origin))
        try await tell([hold(origin, .busy, for: .seconds(10))], store, lab)
      }
      try lab.equal(try await lab.claimed(store), [], "what was claimed")
      try await store.release(["y"])
      try lab.equal(try await lab.claimed(store), ["y"], "what was claimed of one")
      try await store.release(nil)
      try lab.equal(try await lab.claimed(store), ["x", "z"], "what was claimed of all")
    },

    Case("ends the holds of what is tried again by hand, and of what is well again") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a", origin: "x"), lab.new("b", origin: "y"))
      try await tell([hold("x", .busy, for: .seconds(10)), hold("y", .busy, for: .seconds(10))], store, lab)
      _ = try await store.retry(OutboxSelection(ids: ["a".outboxID]), at: lab.now)
      try lab.equal(try await lab.claimed(store), ["a"], "what was claimed after it was tried again")
      try await tell([OriginNews(origin: "y", change: .release)], store, lab)
      try lab.equal(try await lab.claimed(store), ["b"], "what was claimed of the one that is well")
    },

    Case("hastens all origins but those that asked to be left alone") { lab in
      let store = try await lab.open()
      for (origin, kind) in [("x", OriginHold.Kind.trouble), ("y", .busy), ("z", .unauthorized)] {
        try await lab.add(store, lab.new(origin, origin: origin))
        try await tell([hold(origin, kind, for: .seconds(10))], store, lab)
      }
      _ = try await store.hasten(at: lab.now)
      try lab.equal(try await lab.claimed(store), ["x", "z"], "what was claimed")
    },

    Case("holds an origin for what is left of its time after the machine was off") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a", origin: "x"))
      try await tell([hold("x", .busy, for: .seconds(100))], store, lab)
      lab.restart(after: .seconds(40))
      let claim = try await lab.claim(store)
      try lab.equal(claim.rows.count, 0, "what was claimed")
      try lab.equal(claim.next, .seconds(60), "the next")
    },

    Case("learns the origin of a row that had none") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a"), lab.new("b", origin: "y"))
      let leases = try await lab.claim(store).rows.map(\.lease)
      let ends = leases.map { FinishedTry(lease: $0, outcome: .returned, origin: "x") }
      _ = try await store.finish(ends, at: lab.now)
      try lab.equal(try await lab.all(store).map(\.origin), ["x", "y"], "the origins")
    },

    Case("moves what had all its attempts to the dead letters, instead of claiming it") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a", lane: "l"), lab.new("b", lane: "l"))
      var bounds = ClaimBounds(1)
      bounds.maxAttempts = 3
      for attempt in 1...3 {
        let claim = try await store.claim(bounds, for: .seconds(1), at: lab.now)
        try lab.equal(claim.rows.map(\.row.countedTries), [attempt], "the attempts that count")
        try await store.begin(claim.rows.map(\.lease))
        lab.advance(.seconds(1))
      }
      let claim = try await store.claim(bounds, for: .seconds(1), at: lab.now)
      try lab.equal(claim.setAside.map(\.id.rawValue), ["a"], "what was set aside")
      try lab.expect(claim.setAside[0].reason?.hasPrefix("tried 3 times; ") ?? false, "its reason is another")
      try lab.equal(try await claimed(bounds, store, lab), ["b"], "what was claimed of its lane")
    },

    Case("lets a row wait whose owner was lost while it was on its way, longer each time") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a"))
      var bounds = ClaimBounds(1)
      bounds.backoff = .seconds(10)
      bounds.maxBackoff = .seconds(25)
      for wait in [10, 20, 25, 25] {
        let claim = try await store.claim(bounds, for: .seconds(1), at: lab.now)
        try lab.equal(claim.rows.count, 1, "what was claimed")
        try await store.begin(claim.rows.map(\.lease))
        lab.advance(.seconds(1))
        let early = try await store.claim(bounds, for: .seconds(1), at: lab.now)
        try lab.equal(early.recovered.map(\.due), [lab.now.wall + Int64(wait) * 1000], "when it is due")
        try lab.equal(early.rows.count, 0, "what was claimed early")
        lab.advance(.seconds(wait))
      }
    },

    Case("does not count as attempted what was claimed and never on its way") { lab in
      let (one, two) = (try await lab.open(), try await lab.open())
      try await lab.add(one, lab.new("a"), lab.new("b"), lab.new("c"))
      let leases = try await one.claim(2, for: .seconds(100), at: lab.now).rows.map(\.lease)
      try await one.begin([leases[1]])
      let late = try await one.claim(1, for: .seconds(1), at: lab.now).rows.map(\.lease)
      lab.advance(.seconds(1))
      // A lease that is over, of an owner that lives.
      try lab.equal(
        try await two.claim(9, for: .seconds(1), at: lab.now).rows.map(\.row.tries), [1], "the tries of c")
      try lab.equal(try await one.renew(late, for: .seconds(1), at: lab.now), late, "the lost")
      try await lab.abandon(one)
      lab.advance(.seconds(1))
      var bounds = ClaimBounds(9)
      bounds.backoff = .seconds(5)
      bounds.maxBackoff = .seconds(5)
      let claim = try await two.claim(bounds, for: .seconds(1), at: lab.now)
      try lab.equal(Set(claim.recovered.map(\.id.rawValue)), ["a", "b", "c"], "what was recovered")
      try lab.equal(claim.rows.map(\.row.id.rawValue), ["a", "c"], "what was claimed at once")
      try lab.equal(claim.rows.map(\.row.countedTries), [1, 1], "their attempts")
      try lab.equal(try await lab.row(two, "b").countedTries, 1, "the attempts of what was on its way")
    },
  ]
}
