import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxStoreConformance {
  private static func hold(_ origin: String, _ kind: OriginHold.Kind, for length: Duration) -> OriginNews {
    OriginNews(
      origin: origin, change: .hold(kind, reason: "no", for: length), label: Data("label of \(origin)".utf8))
  }

  /// Reports news of origins, each with the end of a separate attempt.
  private static func tell(_ news: [OriginNews], _ store: any OutboxStore, _ harness: OutboxStoreHarness)
    async throws
  {
    let ends = news.map {
      FinishedAttempt(lease: Lease(id: "nobody".outboxID, number: 1), outcome: .returned, news: $0)
    }
    _ = try await store.finish(ends)
  }

  private static func claimed(
    _ bounds: ClaimBounds, _ store: any OutboxStore, _ harness: OutboxStoreHarness
  ) async throws -> [String] {
    try await store.claim(bounds, for: .seconds(60)).rows.map(\.row.id.rawValue)
  }

  static let origins: [Case] = [
    Case("skips origins without capacity, even with many rows in front") { harness in
      let store = try await harness.open()
      _ = try await store.add(
        (0..<500).map { harness.new("dead \($0)", origin: "dead") }, within: OutboxCaps())
      for (id, origin) in [("a", "x"), ("b", "x"), ("c", "y"), ("d", "x"), ("e", "z"), ("f", "y")] {
        try await harness.add(store, harness.new(id, origin: origin))
      }
      var bounds = ClaimBounds(100)
      bounds.capacities = ["dead": 0, "x": 2]
      bounds.perOther = 1
      let claim = try await store.claim(bounds, for: .seconds(60))
      try harness.equal(claim.rows.map(\.row.id.rawValue), ["a", "b", "c", "e"], "the claimed rows")
      try harness.equal(claim.rows.map(\.row.origin), ["x", "x", "y", "z"], "the origins")
      try harness.equal(claim.next, .seconds(60), "the next, when leases end")
      bounds.capacities["dead"] = 1
      bounds.others = 1
      bounds.limit = 2
      let next = try await store.claim(bounds, for: .seconds(60))
      try harness.equal(next.rows.map(\.row.id.rawValue), ["dead 0", "d"], "the rows of the next claim")
      try harness.equal(next.next, .zero, "the next, while there is more")
      try harness.equal(
        try await claimed(bounds, store, harness), ["dead 1", "f"], "the rows of the last claim")
    },

    Case("claims rows by priority and then by age, regardless of their origins") { harness in
      let store = try await harness.open()
      _ = try await store.add(
        (0..<100).map { harness.new("full \($0)", priority: 3, origin: "full") }, within: OutboxCaps())
      for (id, priority, origin) in [
        ("a", 0, "x"), ("b", 2, "y"), ("c", 1, "x"), ("d", 2, "x"), ("e", 2, "y"),
      ] {
        try await harness.add(store, harness.new(id, priority: priority, origin: origin))
      }
      var bounds = ClaimBounds(4)
      bounds.capacities = ["full": 1]
      try harness.equal(
        try await claimed(bounds, store, harness), ["full 0", "b", "d", "e"], "the claimed rows")
    },

    Case("claims no row of a held origin for any owner, until the hold ends") { harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      try await harness.add(one, harness.new("a", origin: "x"), harness.new("b", origin: "y"))
      try await tell([hold("x", .trouble, for: .seconds(10))], one, harness)
      let holds = try await two.statistics().heldOrigins
      try harness.equal(
        holds,
        [
          OriginHold(
            origin: "x", label: Data("label of x".utf8), kind: .trouble, reason: "no",
            until: harness.wall + 10_000)
        ], "the held origins")
      let claim = try await harness.claim(two)
      try harness.equal(claim.rows.map(\.row.id.rawValue), ["b"], "the claimed rows")
      try harness.equal(claim.held, ["x"], "the held origins of the claim")
      try harness.equal(claim.next, .seconds(10), "the next")
      try harness.equal(try await two.statistics().nextDue, harness.wall + 10_000, "the next due time")
      harness.advance(.seconds(10))
      _ = try await harness.take(two, "a")
      try harness.equal(try await one.statistics().heldOrigins, [], "the held origins then")
    },

    Case("does not shorten a hold by a later one") { harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      try await harness.add(one, harness.new("a", origin: "x"))
      try await tell([hold("x", .busy, for: .seconds(3600))], one, harness)
      try await tell([hold("x", .trouble, for: .seconds(1))], two, harness)
      harness.advance(.seconds(2))
      try harness.equal(try await harness.claimed(two), [], "the claimed rows")
      try harness.equal(try await one.statistics().heldOrigins.map(\.kind), [.busy], "the kind of the hold")
      try await tell([hold("x", .trouble, for: .seconds(7200))], two, harness)
      try harness.equal(
        try await one.statistics().heldOrigins.map(\.kind), [.trouble], "the kind of the longer hold")
    },

    Case("claims rows of a named origin behind those of many others") { harness in
      let store = try await harness.open()
      _ = try await store.add(
        (0..<200).map { harness.new("other \($0)", origin: "origin \($0)") }, within: OutboxCaps())
      try await harness.add(
        store, harness.new("a", origin: "x"), harness.new("b", origin: "y"),
        harness.new("c", priority: 1, origin: "x"),
        harness.new("d", origin: "x"), harness.new("e", origin: "y"))
      var bounds = ClaimBounds(.max)
      (bounds.capacities, bounds.perOther, bounds.others) = (["x": 2, "y": 1], 1, 3)
      let expected = ["c", "other 0", "other 1", "other 2", "a", "b"]
      try harness.equal(try await claimed(bounds, store, harness), expected, "the claimed rows")
      bounds.limit = 4
      let claim = try await store.claim(bounds, for: .seconds(60))
      try harness.equal(
        claim.rows.map(\.row.id.rawValue), ["other 3", "other 4", "other 5", "d"],
        "the rows of the next claim")
      try harness.equal(claim.next, .zero, "the next, while there is more")
    },

    Case("ends one or all holds by hand") { harness in
      let store = try await harness.open()
      for origin in ["x", "y", "z"] {
        try await harness.add(store, harness.new(origin, origin: origin))
        try await tell([hold(origin, .busy, for: .seconds(10))], store, harness)
      }
      try harness.equal(try await harness.claimed(store), [], "the claimed rows")
      try await store.release(["y"])
      try harness.equal(try await harness.claimed(store), ["y"], "the claimed rows after one hold ended")
      try await store.release(nil)
      try harness.equal(
        try await harness.claimed(store), ["x", "z"], "the claimed rows after all holds ended")
    },

    Case("ends the hold of an origin that has recovered or whose row is retried by hand") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a", origin: "x"), harness.new("b", origin: "y"))
      try await tell(
        [hold("x", .busy, for: .seconds(10)), hold("y", .busy, for: .seconds(10))], store, harness)
      _ = try await store.retry(OutboxSelection(ids: ["a".outboxID]))
      try harness.equal(try await harness.claimed(store), ["a"], "the claimed rows after it was retried")
      try await tell([OriginNews(origin: "y", change: .release)], store, harness)
      try harness.equal(try await harness.claimed(store), ["b"], "the claimed row of the recovered origin")
    },

    Case("ends all holds at a reschedule, except those that the server asked for") { harness in
      let store = try await harness.open()
      for (origin, kind) in [("x", OriginHold.Kind.trouble), ("y", .busy), ("z", .unauthorized)] {
        try await harness.add(store, harness.new(origin, origin: origin))
        try await tell([hold(origin, kind, for: .seconds(10))], store, harness)
      }
      _ = try await store.rescheduleOffline()
      try harness.equal(try await harness.claimed(store), ["x", "z"], "the claimed rows")
    },

    Case("resumes the rest of a hold after the machine was off") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a", origin: "x"))
      try await tell([hold("x", .busy, for: .seconds(100))], store, harness)
      harness.restart(after: .seconds(40))
      let claim = try await harness.claim(store)
      try harness.equal(claim.rows.count, 0, "the claimed rows")
      try harness.equal(claim.next, .seconds(60), "the next")
    },

    Case("learns the origin of a row without one") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a"), harness.new("b", origin: "y"))
      let leases = try await harness.claim(store).rows.map(\.lease)
      let ends = leases.map { FinishedAttempt(lease: $0, outcome: .returned, origin: "x") }
      _ = try await store.finish(ends)
      try harness.equal(try await harness.all(store).map(\.origin), ["x", "y"], "the origins")
    },

    Case("moves a row that used up its attempts to the dead letters instead of claiming it") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a", lane: "l"), harness.new("b", lane: "l"))
      var bounds = ClaimBounds(1)
      bounds.maxAttempts = 3
      for attempt in 1...3 {
        let claim = try await store.claim(bounds, for: .seconds(1))
        try harness.equal(claim.rows.map(\.row.countedAttempts), [attempt], "the attempts that count")
        _ = try await store.begin(claim.rows.map(\.lease))
        harness.advance(.seconds(1))
      }
      let claim = try await store.claim(bounds, for: .seconds(1))
      try harness.equal(claim.deadLettered.map(\.id.rawValue), ["a"], "the dead letters")
      try harness.expect(
        claim.deadLettered[0].reason?.hasPrefix("attempted 3 times; ") ?? false, "it has another reason")
      try harness.equal(try await claimed(bounds, store, harness), ["b"], "the claimed rows of its lane")
    },

    Case("delays a row whose owner died during the attempt, longer each time") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a"))
      var bounds = ClaimBounds(1)
      bounds.backoff = .seconds(10)
      bounds.maxBackoff = .seconds(25)
      for wait in [10, 20, 25, 25] {
        let claim = try await store.claim(bounds, for: .seconds(1))
        try harness.equal(claim.rows.count, 1, "the claimed rows")
        _ = try await store.begin(claim.rows.map(\.lease))
        harness.advance(.seconds(1))
        let early = try await store.claim(bounds, for: .seconds(1))
        try harness.equal(
          early.recovered.map(\.due), [harness.wall + Int64(wait) * 1000], "its due time")
        try harness.equal(early.rows.count, 0, "the claimed rows early")
        harness.advance(.seconds(wait))
      }
    },

    Case("does not count a claim that never sent, even after one that did") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a"))
      let sent = try await harness.take(store, "a")
      try await harness.finish(
        store, sent, .failed(reason: "", next: .zero, counts: true, wasOffline: false))
      _ = try await store.claim(1, for: .seconds(1))
      harness.advance(.seconds(1))
      var bounds = ClaimBounds(1)
      (bounds.backoff, bounds.maxBackoff) = (.seconds(5), .seconds(5))
      let claim = try await store.claim(bounds, for: .seconds(1))
      try harness.equal(claim.rows.map(\.row.countedAttempts), [2], "the attempts that count")
    },

    Case("does not count an attempt that was claimed but never sent") { harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      try await harness.add(one, harness.new("a"), harness.new("b"), harness.new("c"))
      let leases = try await one.claim(2, for: .seconds(100)).rows.map(\.lease)
      _ = try await one.begin([leases[1]])
      let late = try await one.claim(1, for: .seconds(1)).rows.map(\.lease)
      harness.advance(.seconds(1))
      // This lease has ended, but its owner is alive.
      try harness.equal(
        try await two.claim(9, for: .seconds(1)).rows.map(\.row.attempts), [1],
        "the attempts of c")
      try harness.equal(try await one.renew(late, for: .seconds(1)), late, "the lost")
      try await harness.abandon(one)
      harness.advance(.seconds(1))
      var bounds = ClaimBounds(9)
      bounds.backoff = .seconds(5)
      bounds.maxBackoff = .seconds(5)
      let claim = try await two.claim(bounds, for: .seconds(1))
      try harness.equal(Set(claim.recovered.map(\.id.rawValue)), ["a", "b", "c"], "the recovered rows")
      try harness.equal(claim.rows.map(\.row.id.rawValue), ["a", "c"], "the rows claimed at once")
      try harness.equal(claim.rows.map(\.row.countedAttempts), [1, 1], "their attempts")
      try harness.equal(
        try await harness.row(two, "b").countedAttempts, 1, "the attempts of the sent row")
    },
  ]
}
