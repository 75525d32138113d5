import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxStoreConformance {
  static let finishing: [Case] = [
    Case("keeps the response of a delivered row, and deletes its content and files") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a", files: ["y", "x"]))
      let lease = try await harness.take(store, "a")
      harness.advance(.seconds(1))
      let finished = try await harness.finish(store, lease, .delivered(response: Data([1, 2])))
      try harness.equal(finished.files.sorted(), ["x", "y"], "the files")
      let row = try await harness.row(store, "a")
      try harness.equal(finished.row, row, "the result")
      try harness.equal(row.state, .delivered, "the state")
      try harness.equal(row.response, Data([1, 2]), "the response")
      try harness.equal(row.changed, harness.wall, "the time of its last change")
      try harness.equal(row.attempts, 1, "the attempts")
      try harness.equal(try await store.contents(of: ["a".outboxID]), [nil], "the content")
      try harness.equal(try await store.used(["x", "y"]), [], "the files in use")
    },

    Case("ignores a late end of a deleted row whose id a new row has") { harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      try await harness.add(one, harness.new("a"))
      let late = try await harness.take(one, "a", for: .seconds(1))
      harness.advance(.seconds(2))
      try await harness.finish(two, harness.take(two, "a"), .delivered(response: Data()))
      _ = try await two.prune(olderThan: .zero)
      try await harness.add(two, harness.new("a"))
      for outcome in [
        FinishedAttempt.Outcome.delivered(response: Data([1])), .rejected(reason: "", response: nil),
      ] {
        try harness.equal(
          try await harness.finish(one, late, outcome).row, nil, "the result of the late end")
        try harness.equal(try await harness.state(two, "a"), .stored, "the state of the new one")
      }
      _ = try await harness.take(two, "a")
    },

    Case("distinguishes an empty response from a missing one") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a"), harness.new("b"))
      try await harness.finish(store, harness.take(store, "a"), .rejected(reason: "no", response: Data()))
      try await harness.finish(store, harness.take(store, "b"), .rejected(reason: "no", response: nil))
      try harness.equal(try await harness.row(store, "a").response, Data(), "the empty response")
      try harness.equal(try await harness.row(store, "b").response, nil, "none")
    },

    Case("keeps the content and the files of a dead letter, with its reason") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a", files: ["x"]))
      let finished = try await harness.finish(
        store, harness.take(store, "a"), .rejected(reason: "status 400", response: Data([4])))
      let row = try await harness.row(store, "a")
      try harness.equal(finished, Finished(row: row), "the result")
      try harness.equal(row.state, .deadLettered, "the state")
      try harness.equal(row.reason, "status 400", "the reason")
      try harness.equal(row.response, Data([4]), "the response")
      let contents = try await store.contents(of: ["a".outboxID])
      try harness.equal(contents, [OutboxStoreHarness.content("a")], "the content")
      try harness.equal(try await store.used(["x"]), ["x"], "the files in use")
      harness.advance(.seconds(1_000_000))
      try harness.equal(try await harness.claimed(store), [], "the claimed rows")
    },

    Case("retries a failed row at its time, not earlier") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a"))
      let lease = try await harness.take(store, "a")
      let finished = try await harness.finish(
        store, lease, .failed(reason: "status 503", next: .seconds(120), counts: true, wasOffline: false))
      try harness.equal(finished.row?.state, .stored, "the state")
      try harness.equal(finished.row?.reason, "status 503", "the reason")
      try harness.equal(finished.row?.due, harness.wall + 120_000, "its due time")
      try harness.equal(finished.row?.countedAttempts, 1, "the attempts that count")
      try harness.equal(
        try await store.statistics().nextDue, harness.wall + 120_000, "the next due time")
      harness.advance(.milliseconds(119_999))
      let early = try await harness.claim(store)
      try harness.equal(early.rows.count, 0, "the claimed rows early")
      try harness.equal(early.next, .milliseconds(1), "the next")
      harness.advance(.milliseconds(1))
      let row = try await harness.claim(store).rows.first?.row
      try harness.equal(row?.attempts, 2, "the attempts")
      try harness.equal(row?.due, nil, "its due time")
    },

    Case("tells since when a row is due, and leaves out rows that wait for a later time") { harness in
      let store = try await harness.open()
      try harness.equal(try await store.dueSince(), nil, "an empty store")
      let began = harness.wall
      var later = harness.new("later", lane: "l")
      later.notBefore = began + 100_000
      try await harness.add(store, later, harness.new("behind", lane: "l"))
      try harness.equal(try await store.dueSince(), nil, "a later row, and one behind it")
      harness.advance(.seconds(10))
      try await harness.add(store, harness.new("a"), harness.new("b", lane: "m"))
      try harness.equal(try await store.dueSince(), began + 10_000, "rows that are due at once")
      let claim = try await harness.claim(store)
      try harness.equal(claim.rows.count, 2, "the claimed rows")
      try harness.equal(try await store.dueSince(), nil, "rows that are being attempted")
      harness.advance(.seconds(10))
      for row in claim.rows {
        _ = try await harness.finish(
          store, row.lease, .failed(reason: "", next: .seconds(30), counts: true, wasOffline: false))
      }
      harness.advance(.seconds(29))
      try harness.equal(try await store.dueSince(), nil, "rows that wait for their next attempt")
      try await store.setPaused(true, lane: "m")
      harness.advance(.seconds(11))
      try harness.equal(try await store.dueSince(), began + 50_000, "rows whose wait has ended")
      _ = try await store.drop(OutboxSelection(ids: ["a".outboxID]), reason: "")
      try harness.equal(try await store.dueSince(), began + 50_000, "a row in a paused lane")
      _ = try await store.drop(OutboxSelection(ids: ["b".outboxID]), reason: "")
      harness.advance(.seconds(60))
      try harness.equal(try await store.dueSince(), began + 100_000, "the later row")
    },

    Case("retries a row at once if it failed without a wait") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a"))
      let lease = try await harness.take(store, "a")
      let finished = try await harness.finish(
        store, lease, .failed(reason: "", next: .zero, counts: false, wasOffline: false))
      try harness.equal(finished.row?.due, nil, "its due time")
      try harness.equal(try await store.statistics().nextDue, nil, "the next due time")
      _ = try await harness.take(store, "a")
    },

    Case("does not count attempts that reached no server or were returned") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a"))
      let first = try await harness.take(store, "a")
      try await harness.finish(
        store, first, .failed(reason: "offline", next: .zero, counts: false, wasOffline: true))
      var row = try await harness.row(store, "a")
      try harness.equal([row.attempts, row.countedAttempts], [1, 0], "the attempts")
      let second = try await harness.take(store, "a")
      try await harness.finish(store, second, .returned)
      row = try await harness.row(store, "a")
      try harness.equal(
        [row.attempts, row.countedAttempts], [1, 0], "the attempts after one was given back")
      try harness.equal(row.reason, "offline", "the reason")
      try harness.equal(row.state, .stored, "the state")
    },

    Case("reschedules only rows that failed without a network") { harness in
      let store = try await harness.open()
      try await harness.add(
        store, harness.new("a"), harness.new("b"), harness.new("c", lane: "l"), harness.new("d", lane: "l"))
      for claimed in try await harness.claim(store).rows {
        try await harness.finish(
          store, claimed.lease,
          .failed(
            reason: "", next: .seconds(60), counts: false, wasOffline: claimed.row.id.rawValue != "b"))
      }
      try harness.equal(try await harness.claimed(store), [], "the claimed rows before")
      try harness.equal(try await store.rescheduleOffline(), 2, "the number of rescheduled rows")
      try harness.equal(
        try await store.rescheduleOffline(), 0, "the number of rows rescheduled the second time")
      try harness.equal(try await harness.row(store, "a").due, nil, "its due time")
      try harness.equal(try await harness.claimed(store), ["a", "c"], "the claimed rows")
    },

    Case("ignores an unknown lease and an unknown id") { harness in
      let store = try await harness.open()
      let lease = Lease(id: "nobody".outboxID, number: 1)
      try harness.equal(
        try await harness.finish(store, lease, .delivered(response: Data())), Finished(row: nil), "it")
      try harness.equal(
        try await store.renew([lease], for: .seconds(1)), [lease], "the lost")
      try harness.equal(try await store.rows([lease.id]), [nil], "the row")
    },
  ]
}
