import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxStoreConformance {
  static let leases: [Case] = [
    Case("leaves what another has until its lease ends, and then gives it to anyone") { harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      try await harness.add(one, harness.new("a"))
      let lease = try await harness.take(one, "a", for: .seconds(10))
      harness.advance(.milliseconds(9_999))
      let early = try await harness.claim(two)
      try harness.equal(early.rows.count, 0, "what was claimed early")
      try harness.equal(early.next, .milliseconds(1), "the next")
      harness.advance(.milliseconds(1))
      let claim = try await harness.claim(two)
      try harness.equal(claim.recovered.map(\.id.rawValue), ["a"], "what was recovered")
      try harness.equal(claim.rows.map(\.row.id.rawValue), ["a"], "what was claimed")
      try harness.expect(claim.rows.first?.lease != lease, "two claims have the same lease")
      try harness.equal(claim.rows.map(\.row.attempts), [2], "the attempts")
      try harness.equal(claim.rows.map(\.row.countedAttempts), [2], "those that count")
    },

    Case("lets only those be sent whose leases are held, by the store's time") { harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      try await harness.add(
        one, harness.new("a"), harness.new("b"), harness.new("c"), harness.new("d"), harness.new("e"))
      let leases = try await one.claim(5, for: .seconds(10)).rows.map(\.lease)
      try harness.equal(try await one.begin(leases), leases, "what may be sent at first")
      try harness.equal(try await two.begin(leases), [], "what another owner may send")
      harness.advance(.milliseconds(9_999))
      try harness.equal(try await one.renew([leases[1], leases[3]], for: .seconds(10)), [], "the lost")
      try harness.equal(try await one.begin(leases), leases, "what may be sent at the last moment")
      harness.advance(.milliseconds(1))
      let held = [leases[3], leases[1]]
      let asked = [leases[4], leases[3], leases[0], leases[1]]
      try harness.equal(try await one.begin(asked), held, "what may be sent when leases have ended")
      let current = try await harness.claim(two).rows.map(\.lease)
      try harness.equal(current.map(\.id.rawValue), ["a", "c", "e"], "what another has claimed")
      try harness.equal(try await one.begin(leases), [leases[1], leases[3]], "what may be sent of the rest")
      try harness.equal(try await two.begin(current), current, "what the other may send")
      try await harness.finish(one, leases[1], .delivered(response: Data()))
      try await harness.finish(two, current[0], .returned)
      try harness.equal(try await one.begin(leases), [leases[3]], "what may be sent at last")
      try harness.equal(try await two.begin(current), Array(current.dropFirst()), "what the other may")
    },

    Case("notes nothing of what may not be sent") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a"))
      let lease = try await store.claim(1, for: .seconds(1)).rows.map(\.lease)
      harness.advance(.seconds(1))
      try harness.equal(try await store.begin(lease), [], "what may be sent")
      var bounds = ClaimBounds(1)
      (bounds.backoff, bounds.maxBackoff) = (.seconds(5), .seconds(5))
      let claim = try await store.claim(bounds, for: .seconds(1))
      try harness.equal(claim.rows.map(\.row.countedAttempts), [1], "the attempts that count")
    },

    Case("finds the rows that are being attempted though their leases ended") { harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      try await harness.add(one, harness.new("a"), harness.new("b"), harness.new("c"), harness.new("d"))
      let first = try await harness.take(one, "a", for: .seconds(10))
      harness.advance(.seconds(1))
      _ = try await harness.take(one, "b", for: .seconds(8))
      _ = try await harness.take(one, "c", for: .seconds(1000))
      harness.advance(.milliseconds(37_999))
      let wait = Duration.seconds(30)
      try harness.equal(try await two.abandoned(for: wait, limit: 9).count, 0, "what is found early")
      harness.advance(.milliseconds(1))
      let found = try await two.abandoned(for: wait, limit: 9)
      try harness.equal(found, [try await harness.row(one, "b")], "what is found")
      harness.advance(.seconds(1))
      try harness.equal(
        try await two.abandoned(for: wait, limit: 9).map(\.id.rawValue), ["a", "b"], "what is found then")
      try harness.equal(
        try await two.abandoned(for: wait, limit: 1).map(\.id.rawValue), ["a"],
        "what is found within the limit")
      try harness.equal(try await one.renew([first], for: .seconds(10)), [], "the lost")
      try harness.equal(
        try await two.abandoned(for: wait, limit: 9).map(\.id.rawValue), ["b"],
        "what is found after a renewal")
      _ = try await harness.claim(two)
      try harness.equal(try await two.abandoned(for: wait, limit: 9).count, 0, "what is found after a claim")
    },

    Case("recovers its own, too, if it did not renew them") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a"))
      let lease = try await harness.take(store, "a", for: .seconds(10))
      harness.advance(.seconds(10))
      let again = try await harness.take(store, "a")
      try harness.equal(
        try await store.renew([lease, again], for: .seconds(1)), [lease], "the lost")
    },

    Case("makes leases last as long as they are renewed") { harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      try await harness.add(one, harness.new("a"), harness.new("b"))
      let leases = try await harness.claim(one, for: .seconds(10)).rows.map(\.lease)
      for _ in 0..<5 {
        harness.advance(.seconds(6))
        try harness.equal(
          try await one.renew([leases[0]], for: .seconds(10)), [], "the lost")
        let found = try await harness.claimed(two, for: .seconds(1000))
        try harness.expect(!found.contains("a"), "what was renewed was given to another")
      }
      try harness.equal(
        try await one.renew(leases, for: .seconds(10)), [leases[1]], "what was lost")
    },

    Case("frees at once what an owner had that is gone") { harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      try await harness.add(one, harness.new("a"), harness.new("b", lane: "l"), harness.new("c", lane: "l"))
      _ = try await harness.claim(one, for: .seconds(10_000))
      try harness.equal(try await harness.claimed(two), [], "what was claimed while it lived")
      try await harness.abandon(one)
      let claim = try await harness.claim(two)
      try harness.equal(claim.recovered.map(\.id.rawValue), ["a", "b"], "what was recovered")
      try harness.equal(claim.rows.map(\.row.id.rawValue), ["a", "b"], "what was claimed")
      try harness.equal(claim.rows.map(\.row.countedAttempts), [2, 2], "the attempts that count")
    },

    Case("keeps everything of an owner that is gone") { harness in
      let one = try await harness.open()
      for number in 0..<20 { try await harness.add(one, harness.new("\(number)")) }
      _ = try await harness.claim(one, 7)
      try await harness.abandon(one)
      let two = try await harness.open()
      try harness.equal(try await harness.claimed(two), (0..<20).map { "\($0)" }, "what was claimed")
    },

    Case("gives everything back when it is closed, and then does nothing more") { harness in
      let one = try await harness.open()
      try await harness.add(one, harness.new("a", lane: "l"), harness.new("b", lane: "l"))
      _ = try await harness.take(one, "a", for: .seconds(10_000))
      await one.close()
      await one.close()
      let two = try await harness.open()
      let claim = try await harness.claim(two)
      try harness.equal(claim.recovered.count, 0, "what was recovered")
      try harness.equal(claim.rows.map(\.row.id.rawValue), ["a"], "what was claimed")
      try harness.equal(claim.rows.map(\.row.attempts), [1], "the attempts")
      try await harness.fails(.closed) { _ = try await one.add([], within: OutboxCaps()) }
      try await harness.fails(.closed) { _ = try await one.claim(1, for: .seconds(1)) }
      try await harness.fails(.closed) { _ = try await one.finish([]) }
      try await harness.fails(.closed) { _ = try await one.rows(["a".outboxID]) }
      try await harness.fails(.closed) { _ = try await one.statistics() }
      try await harness.fails(.closed) { _ = try await one.prune(olderThan: .zero) }
    },

    Case("ignores how an attempt ended that lost its lease") { harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      try await harness.add(one, harness.new("a"))
      let stale = try await harness.take(one, "a", for: .seconds(1))
      harness.advance(.seconds(1))
      let current = try await harness.take(two, "a")
      let before = try await harness.row(one, "a")
      for outcome: FinishedAttempt.Outcome in [
        .failed(reason: "stale", next: .zero, counts: true, wasOffline: false),
        .rejected(reason: "stale", response: Data([1])), .returned,
      ] {
        try harness.equal(
          try await harness.finish(one, stale, outcome), Finished(row: nil), "what became of it")
        try harness.equal(try await harness.row(one, "a"), before, "the row")
      }
      try harness.equal(
        try await harness.finish(two, current, .delivered(response: Data())).row?.state, .delivered,
        "the state")
    },

    Case("believes a late delivery, and then no other") { harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      try await harness.add(one, harness.new("a", lane: "l", files: ["f"]), harness.new("b", lane: "l"))
      let late = try await harness.take(one, "a", for: .seconds(1))
      harness.advance(.seconds(1))
      let current = try await harness.take(two, "a")
      let finished = try await harness.finish(one, late, .delivered(response: Data([7])))
      try harness.equal(finished.row?.state, .delivered, "the state")
      try harness.equal(finished.row?.response, Data([7]), "the response")
      try harness.equal(finished.files, ["f"], "the files")
      for outcome: FinishedAttempt.Outcome in [
        .delivered(response: Data([8])), .rejected(reason: "", response: nil),
      ] {
        try harness.equal(
          try await harness.finish(two, current, outcome), Finished(row: nil), "what became of it")
      }
      try harness.equal(try await harness.row(two, "a").response, Data([7]), "the response that is kept")
      _ = try await harness.take(two, "b")
    },

    Case("believes a late delivery of what has failed or become a dead letter since") { harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      try await harness.add(
        one, harness.new("a", lane: "l", holds: true), harness.new("b", lane: "l"), harness.new("c"))
      let late = try await harness.claim(one, for: .seconds(1)).rows.map(\.lease)
      harness.advance(.seconds(1))
      let current = try await harness.claim(two).rows.map(\.lease)
      try await harness.finish(two, current[0], .rejected(reason: "no", response: Data([1])))
      try await harness.finish(
        two, current[1], .failed(reason: "", next: .seconds(9), counts: true, wasOffline: true))
      for lease in late {
        let finished = try await harness.finish(one, lease, .delivered(response: Data([2])))
        try harness.equal(finished.row?.response, Data([2]), "the response")
      }
      try harness.equal(try await harness.claimed(two), ["b"], "what was claimed")
      try harness.equal(try await two.rescheduleOffline(), 0, "what was hastened")
    },

    Case("does not take a lease of what was forgotten for one of what has its id now") { harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      try await harness.add(one, harness.new("a"))
      let old = try await harness.take(one, "a", for: .seconds(1))
      harness.advance(.seconds(1))
      try await harness.finish(two, harness.take(two, "a"), .delivered(response: Data()))
      _ = try await two.prune(olderThan: .zero)
      try await harness.add(two, harness.new("a"))
      let new = try await harness.take(two, "a")
      try harness.equal(
        try await harness.finish(one, old, .returned), Finished(row: nil), "what became of the old")
      try harness.equal(try await two.renew([new], for: .seconds(1)), [], "the lost")
    },
  ]
}
