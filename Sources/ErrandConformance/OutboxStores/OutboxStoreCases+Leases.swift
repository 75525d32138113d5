import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxStoreConformance {
  static let leases: [Case] = [
    Case("claims a row of another owner only after its lease has ended") { harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      try await harness.add(one, harness.new("a"))
      let lease = try await harness.take(one, "a", for: .seconds(10))
      harness.advance(.milliseconds(9_999))
      let early = try await harness.claim(two)
      try harness.equal(early.rows.count, 0, "the claimed rows early")
      try harness.equal(early.next, .milliseconds(1), "the next")
      harness.advance(.milliseconds(1))
      let claim = try await harness.claim(two)
      try harness.equal(claim.recovered.map(\.id.rawValue), ["a"], "the recovered rows")
      try harness.equal(claim.rows.map(\.row.id.rawValue), ["a"], "the claimed rows")
      try harness.expect(claim.rows.first?.lease != lease, "two claims have the same lease")
      try harness.equal(claim.rows.map(\.row.attempts), [2], "the attempts")
      try harness.equal(claim.rows.map(\.row.countedAttempts), [2], "the attempts that count")
    },

    Case("permits sending only with a valid lease, by the store's time") { harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      try await harness.add(
        one, harness.new("a"), harness.new("b"), harness.new("c"), harness.new("d"), harness.new("e"))
      let leases = try await one.claim(5, for: .seconds(10)).rows.map(\.lease)
      try harness.equal(try await one.begin(leases), leases, "the leases that may be sent at first")
      try harness.equal(try await two.begin(leases), [], "the leases that another owner may send")
      harness.advance(.milliseconds(9_999))
      try harness.equal(try await one.renew([leases[1], leases[3]], for: .seconds(10)), [], "the lost")
      try harness.equal(try await one.begin(leases), leases, "the leases that may be sent at the last moment")
      harness.advance(.milliseconds(1))
      let held = [leases[3], leases[1]]
      let asked = [leases[4], leases[3], leases[0], leases[1]]
      try harness.equal(try await one.begin(asked), held, "the leases that may be sent after some have ended")
      let current = try await harness.claim(two).rows.map(\.lease)
      try harness.equal(current.map(\.id.rawValue), ["a", "c", "e"], "the rows that the other owner claimed")
      try harness.equal(
        try await one.begin(leases), [leases[1], leases[3]], "the other leases that may be sent")
      try harness.equal(try await two.begin(current), current, "the leases that the other owner may send")
      try await harness.finish(one, leases[1], .delivered(response: Data()))
      try await harness.finish(two, current[0], .returned)
      try harness.equal(try await one.begin(leases), [leases[3]], "the leases that may be sent at the end")
      try harness.equal(
        try await two.begin(current), Array(current.dropFirst()), "the leases that the other owner may send")
    },

    Case("records no attempt of a row that may not be sent") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a"))
      let lease = try await store.claim(1, for: .seconds(1)).rows.map(\.lease)
      harness.advance(.seconds(1))
      try harness.equal(try await store.begin(lease), [], "the leases that may be sent")
      var bounds = ClaimBounds(1)
      (bounds.backoff, bounds.maxBackoff) = (.seconds(5), .seconds(5))
      let claim = try await store.claim(bounds, for: .seconds(1))
      try harness.equal(claim.rows.map(\.row.countedAttempts), [1], "the attempts that count")
    },

    Case("finds rows that are still being attempted after their leases ended") { harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      try await harness.add(one, harness.new("a"), harness.new("b"), harness.new("c"), harness.new("d"))
      let first = try await harness.take(one, "a", for: .seconds(10))
      harness.advance(.seconds(1))
      _ = try await harness.take(one, "b", for: .seconds(8))
      _ = try await harness.take(one, "c", for: .seconds(1000))
      harness.advance(.milliseconds(37_999))
      let wait = Duration.seconds(30)
      try harness.equal(
        try await two.abandoned(for: wait, limit: 9).count, 0, "the number of abandoned rows before the time")
      harness.advance(.milliseconds(1))
      let found = try await two.abandoned(for: wait, limit: 9)
      try harness.equal(found, [try await harness.row(one, "b")], "the abandoned rows")
      harness.advance(.seconds(1))
      try harness.equal(
        try await two.abandoned(for: wait, limit: 9).map(\.id.rawValue), ["a", "b"], "the abandoned rows then"
      )
      try harness.equal(
        try await two.abandoned(for: wait, limit: 1).map(\.id.rawValue), ["a"],
        "the abandoned rows within the limit")
      try harness.equal(try await one.renew([first], for: .seconds(10)), [], "the lost")
      try harness.equal(
        try await two.abandoned(for: wait, limit: 9).map(\.id.rawValue), ["b"],
        "the abandoned rows after a renewal")
      _ = try await harness.claim(two)
      try harness.equal(
        try await two.abandoned(for: wait, limit: 9).count, 0, "the number of abandoned rows after a claim")
    },

    Case("recovers its own rows if it did not renew their leases") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a"))
      let lease = try await harness.take(store, "a", for: .seconds(10))
      harness.advance(.seconds(10))
      let again = try await harness.take(store, "a")
      try harness.equal(
        try await store.renew([lease, again], for: .seconds(1)), [lease], "the lost")
    },

    Case("keeps leases as long as they are renewed") { harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      try await harness.add(one, harness.new("a"), harness.new("b"))
      let leases = try await harness.claim(one, for: .seconds(10)).rows.map(\.lease)
      for _ in 0..<5 {
        harness.advance(.seconds(6))
        try harness.equal(
          try await one.renew([leases[0]], for: .seconds(10)), [], "the lost")
        let found = try await harness.claimed(two, for: .seconds(1000))
        try harness.expect(!found.contains("a"), "a row with a renewed lease was claimed by another owner")
      }
      try harness.equal(
        try await one.renew(leases, for: .seconds(10)), [leases[1]], "the lost leases")
    },

    Case("recovers the rows of a dead owner at once") { harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      try await harness.add(one, harness.new("a"), harness.new("b", lane: "l"), harness.new("c", lane: "l"))
      _ = try await harness.claim(one, for: .seconds(10_000))
      try harness.equal(try await harness.claimed(two), [], "the claimed rows before its death")
      try await harness.abandon(one)
      let claim = try await harness.claim(two)
      try harness.equal(claim.recovered.map(\.id.rawValue), ["a", "b"], "the recovered rows")
      try harness.equal(claim.rows.map(\.row.id.rawValue), ["a", "b"], "the claimed rows")
      try harness.equal(claim.rows.map(\.row.countedAttempts), [2, 2], "the attempts that count")
    },

    Case("loses no row of a dead owner") { harness in
      let one = try await harness.open()
      for number in 0..<20 { try await harness.add(one, harness.new("\(number)")) }
      _ = try await harness.claim(one, 7)
      try await harness.abandon(one)
      let two = try await harness.open()
      try harness.equal(try await harness.claimed(two), (0..<20).map { "\($0)" }, "the claimed rows")
    },

    Case("returns all claimed rows when it is closed, and then fails every call") { harness in
      let one = try await harness.open()
      try await harness.add(one, harness.new("a", lane: "l"), harness.new("b", lane: "l"))
      _ = try await harness.take(one, "a", for: .seconds(10_000))
      await one.close()
      await one.close()
      let two = try await harness.open()
      let claim = try await harness.claim(two)
      try harness.equal(claim.recovered.count, 0, "the recovered rows")
      try harness.equal(claim.rows.map(\.row.id.rawValue), ["a"], "the claimed rows")
      try harness.equal(claim.rows.map(\.row.attempts), [1], "the attempts")
      try await harness.fails(.closed) { _ = try await one.add([], within: OutboxCaps()) }
      try await harness.fails(.closed) { _ = try await one.claim(1, for: .seconds(1)) }
      try await harness.fails(.closed) { _ = try await one.finish([]) }
      try await harness.fails(.closed) { _ = try await one.rows(["a".outboxID]) }
      try await harness.fails(.closed) { _ = try await one.statistics() }
      try await harness.fails(.closed) { _ = try await one.prune(olderThan: .zero) }
    },

    Case("ignores the failure of an attempt that lost its lease") { harness in
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
          try await harness.finish(one, stale, outcome), Finished(row: nil), "the result")
        try harness.equal(try await harness.row(one, "a"), before, "the row")
      }
      try harness.equal(
        try await harness.finish(two, current, .delivered(response: Data())).row?.state, .delivered,
        "the state")
    },

    Case("accepts a late delivery, and no later end") { harness in
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
          try await harness.finish(two, current, outcome), Finished(row: nil), "the result")
      }
      try harness.equal(try await harness.row(two, "a").response, Data([7]), "the response that is kept")
      _ = try await harness.take(two, "b")
    },

    Case("accepts a late delivery of a row that has since failed or become a dead letter") { harness in
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
      try harness.equal(try await harness.claimed(two), ["b"], "the claimed rows")
      try harness.equal(try await two.rescheduleOffline(), 0, "the number of rescheduled rows")
    },

    Case("does not confuse the lease of a deleted row with that of a new row with its id") { harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      try await harness.add(one, harness.new("a"))
      let old = try await harness.take(one, "a", for: .seconds(1))
      harness.advance(.seconds(1))
      try await harness.finish(two, harness.take(two, "a"), .delivered(response: Data()))
      _ = try await two.prune(olderThan: .zero)
      try await harness.add(two, harness.new("a"))
      let new = try await harness.take(two, "a")
      try harness.equal(
        try await harness.finish(one, old, .returned), Finished(row: nil), "the result of the old lease")
      try harness.equal(try await two.renew([new], for: .seconds(1)), [], "the lost")
    },
  ]
}
