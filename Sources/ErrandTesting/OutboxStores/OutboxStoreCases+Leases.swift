import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxStoreConformance {
  static let leases: [Case] = [
    Case("leaves what another has until its lease ends, and then gives it to anyone") { lab in
      let (one, two) = (try await lab.open(), try await lab.open())
      try await lab.add(one, lab.new("a"))
      let lease = try await lab.take(one, "a", for: .seconds(10))
      lab.advance(.milliseconds(9_999))
      let early = try await lab.claim(two)
      try lab.equal(early.rows.count, 0, "what was claimed early")
      try lab.equal(early.next, .milliseconds(1), "the next")
      lab.advance(.milliseconds(1))
      let claim = try await lab.claim(two)
      try lab.equal(claim.recovered.map(\.id.rawValue), ["a"], "what was recovered")
      try lab.equal(claim.rows.map(\.row.id.rawValue), ["a"], "what was claimed")
      try lab.expect(claim.rows.first?.lease != lease, "two claims have the same lease")
      try lab.equal(claim.rows.map(\.row.tries), [2], "the tries")
      try lab.equal(claim.rows.map(\.row.countedTries), [2], "those that count")
    },

    Case("recovers its own, too, if it did not renew them") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a"))
      let lease = try await lab.take(store, "a", for: .seconds(10))
      lab.advance(.seconds(10))
      let again = try await lab.take(store, "a")
      try lab.equal(
        try await store.renew([lease, again], for: .seconds(1), at: lab.now), [lease], "the lost")
    },

    Case("makes leases last as long as they are renewed") { lab in
      let (one, two) = (try await lab.open(), try await lab.open())
      try await lab.add(one, lab.new("a"), lab.new("b"))
      let leases = try await lab.claim(one, for: .seconds(10)).rows.map(\.lease)
      for _ in 0..<5 {
        lab.advance(.seconds(6))
        try lab.equal(try await one.renew([leases[0]], for: .seconds(10), at: lab.now), [], "the lost")
        let found = try await lab.claimed(two, for: .seconds(1000))
        try lab.expect(!found.contains("a"), "what was renewed was given to another")
      }
      try lab.equal(
        try await one.renew(leases, for: .seconds(10), at: lab.now), [leases[1]], "what was lost")
    },

    Case("frees at once what an owner had that is gone") { lab in
      let (one, two) = (try await lab.open(), try await lab.open())
      try await lab.add(one, lab.new("a"), lab.new("b", lane: "l"), lab.new("c", lane: "l"))
      _ = try await lab.claim(one, for: .seconds(10_000))
      try lab.equal(try await lab.claimed(two), [], "what was claimed while it lived")
      try await lab.abandon(one)
      let claim = try await lab.claim(two)
      try lab.equal(claim.recovered.map(\.id.rawValue), ["a", "b"], "what was recovered")
      try lab.equal(claim.rows.map(\.row.id.rawValue), ["a", "b"], "what was claimed")
      try lab.equal(claim.rows.map(\.row.countedTries), [2, 2], "the tries that count")
    },

    Case("keeps everything of an owner that is gone") { lab in
      let one = try await lab.open()
      for number in 0..<20 { try await lab.add(one, lab.new("\(number)")) }
      _ = try await lab.claim(one, 7)
      try await lab.abandon(one)
      let two = try await lab.open()
      try lab.equal(try await lab.claimed(two), (0..<20).map { "\($0)" }, "what was claimed")
    },

    Case("gives everything back when it is closed, and then does nothing more") { lab in
      let one = try await lab.open()
      try await lab.add(one, lab.new("a", lane: "l"), lab.new("b", lane: "l"))
      _ = try await lab.take(one, "a", for: .seconds(10_000))
      await one.close()
      await one.close()
      let two = try await lab.open()
      let claim = try await lab.claim(two)
      try lab.equal(claim.recovered.count, 0, "what was recovered")
      try lab.equal(claim.rows.map(\.row.id.rawValue), ["a"], "what was claimed")
      try lab.equal(claim.rows.map(\.row.tries), [1], "the tries")
      let now = lab.now
      try await lab.fails(.closed) { _ = try await one.add([], within: OutboxCaps(), at: now) }
      try await lab.fails(.closed) { _ = try await one.claim(1, for: .seconds(1), at: now) }
      try await lab.fails(.closed) { _ = try await one.finish([], at: now) }
      try await lab.fails(.closed) { _ = try await one.rows(["a".outboxID]) }
      try await lab.fails(.closed) { _ = try await one.statistics() }
      try await lab.fails(.closed) { _ = try await one.prune(changedBefore: 0) }
    },

    Case("ignores how a try ended that lost its lease") { lab in
      let (one, two) = (try await lab.open(), try await lab.open())
      try await lab.add(one, lab.new("a"))
      let stale = try await lab.take(one, "a", for: .seconds(1))
      lab.advance(.seconds(1))
      let current = try await lab.take(two, "a")
      let before = try await lab.row(one, "a")
      for outcome: FinishedTry.Outcome in [
        .failed(reason: "stale", next: .zero, counts: true, wasOffline: false),
        .refused(reason: "stale", answer: Data([1])), .returned,
      ] {
        try lab.equal(try await lab.finish(one, stale, outcome), Finished(row: nil), "what became of it")
        try lab.equal(try await lab.row(one, "a"), before, "the row")
      }
      try lab.equal(
        try await lab.finish(two, current, .delivered(answer: Data())).row?.state, .delivered, "the state")
    },

    Case("believes a late delivery, and then no other") { lab in
      let (one, two) = (try await lab.open(), try await lab.open())
      try await lab.add(one, lab.new("a", lane: "l", files: ["f"]), lab.new("b", lane: "l"))
      let late = try await lab.take(one, "a", for: .seconds(1))
      lab.advance(.seconds(1))
      let current = try await lab.take(two, "a")
      let finished = try await lab.finish(one, late, .delivered(answer: Data([7])))
      try lab.equal(finished.row?.state, .delivered, "the state")
      try lab.equal(finished.row?.answer, Data([7]), "the answer")
      try lab.equal(finished.files, ["f"], "the files")
      for outcome: FinishedTry.Outcome in [.delivered(answer: Data([8])), .refused(reason: "", answer: nil)] {
        try lab.equal(try await lab.finish(two, current, outcome), Finished(row: nil), "what became of it")
      }
      try lab.equal(try await lab.row(two, "a").answer, Data([7]), "the answer that is kept")
      _ = try await lab.take(two, "b")
    },

    Case("believes a late delivery of what has failed or was set aside since") { lab in
      let (one, two) = (try await lab.open(), try await lab.open())
      try await lab.add(one, lab.new("a", lane: "l", holds: true), lab.new("b", lane: "l"), lab.new("c"))
      let late = try await lab.claim(one, for: .seconds(1)).rows.map(\.lease)
      lab.advance(.seconds(1))
      let current = try await lab.claim(two).rows.map(\.lease)
      try await lab.finish(two, current[0], .refused(reason: "no", answer: Data([1])))
      try await lab.finish(
        two, current[1], .failed(reason: "", next: .seconds(9), counts: true, wasOffline: true))
      for lease in late {
        let finished = try await lab.finish(one, lease, .delivered(answer: Data([2])))
        try lab.equal(finished.row?.answer, Data([2]), "the answer")
      }
      try lab.equal(try await lab.claimed(two), ["b"], "what was claimed")
      try lab.equal(try await two.hasten(at: lab.now), 0, "what was hastened")
    },

    Case("does not take a lease of what was forgotten for one of what has its id now") { lab in
      let (one, two) = (try await lab.open(), try await lab.open())
      try await lab.add(one, lab.new("a"))
      let old = try await lab.take(one, "a", for: .seconds(1))
      lab.advance(.seconds(1))
      try await lab.finish(two, lab.take(two, "a"), .delivered(answer: Data()))
      _ = try await two.prune(changedBefore: lab.now.wall)
      try await lab.add(two, lab.new("a"))
      let new = try await lab.take(two, "a")
      try lab.equal(try await lab.finish(one, old, .returned), Finished(row: nil), "what became of the old")
      try lab.equal(try await two.renew([new], for: .seconds(1), at: lab.now), [], "the lost")
    },
  ]
}
