import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxStoreConformance {
  static let replacing: [Case] = [
    Case("replaces a waiting row at its position") { harness in
      let store = try await harness.open()
      try await harness.add(
        store, harness.new("a", lane: "l", files: ["f1", "f2"]), harness.new("b", lane: "l"), harness.new("c")
      )
      let before = try await harness.row(store, "a")
      harness.advance(.seconds(1))
      var newer = harness.new("a", lane: "l", priority: 3, lifetime: .seconds(60), files: ["f3"], size: 900)
      newer.summary = Data("newer".utf8)
      newer.ifKnown = .replace
      let dropped = try await harness.add(store, newer)
      try harness.equal(dropped.files.sorted(), ["f1", "f2"], "the files to delete")
      try harness.equal(dropped.known, [], "the known rows")
      let row = try await harness.row(store, "a")
      try harness.equal(row.sequence, before.sequence, "its sequence number")
      try harness.equal(
        [row.summary, Data("\(row.priority) \(row.size) \(row.created)".utf8)],
        [Data("newer".utf8), Data("3 900 \(harness.wall)".utf8)], "the new row")
      try harness.equal(
        try await store.statistics().bytes,
        900 + Int64(OutboxStoreHarness.content("b").count + OutboxStoreHarness.content("c").count),
        "the bytes")
      try harness.equal(try await store.used(["f1", "f2", "f3"]), ["f3"], "the files in use")
      try harness.equal(try await harness.claimed(store), ["a", "c"], "the claimed rows")
    },

    Case("replaces a dead letter and a row that backs off, and resets their attempts") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("dead", lane: "l", holds: true), harness.new("late"))
      let claim = try await harness.claim(store)
      try await harness.add(store, harness.new("behind", lane: "l"))
      _ = try await store.finish(
        claim.rows.map { claimed in
          claimed.row.id.rawValue == "dead"
            ? FinishedAttempt(lease: claimed.lease, outcome: .rejected(reason: "no", response: Data([1])))
            : FinishedAttempt(
              lease: claimed.lease,
              outcome: .failed(reason: "later", next: .seconds(900), counts: true, wasOffline: false))
        })
      for id in ["dead", "late"] {
        var newer = harness.new(id, lane: id == "dead" ? "l" : nil)
        newer.ifKnown = .replace
        try await harness.add(store, newer)
        let row = try await harness.row(store, id)
        try harness.equal(row.state, .stored, "the state of \(id)")
        try harness.equal(row.attempts + row.countedAttempts, 0, "the attempts of \(id)")
        try harness.equal(row.due, nil, "when \(id) is due")
        try harness.equal(row.reason, nil, "the reason of \(id)")
      }
      // These rows were claimed before, so their replacements are at the end of their lanes.
      let next = try await harness.claim(store)
      try harness.equal(next.rows.map(\.row.id.rawValue), ["behind", "late"], "the claimed rows")
      // The first attempts report their end again, as a process that was stopped may do.
      let delivered = claim.rows.map {
        FinishedAttempt(lease: $0.lease, outcome: .delivered(response: Data()))
      }
      try harness.equal(
        try await store.finish(delivered).compactMap(\.row), [], "the rows that the old attempts changed")
      _ = try await store.finish(
        next.rows.map { FinishedAttempt(lease: $0.lease, outcome: .delivered(response: Data())) })
      try harness.equal(try await harness.claimed(store), ["dead"], "the rows of the next claim")
    },

    Case("moves a replaced row to the end of another lane, and continues the old lane") { harness in
      let store = try await harness.open()
      try await harness.add(
        store, harness.new("a", lane: "one"), harness.new("b", lane: "one"), harness.new("c", lane: "two"))
      var newer = harness.new("a", lane: "two")
      newer.ifKnown = .replace
      try await harness.add(store, newer)
      try harness.equal(try await harness.claimed(store), ["b", "c"], "the claimed rows")
      let rows = try await store.list(.all, after: 0, limit: 10)
      try harness.equal(rows.map(\.id.rawValue), ["b", "c", "a"], "the order")
    },

    Case("refuses to replace a row that is being sent or finished, and to add a known one, all or none") {
      harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("sent"), harness.new("over"))
      let claim = try await harness.claim(store)
      let leases = claim.rows.filter { $0.row.id.rawValue == "over" }.map(\.lease)
      _ = try await store.finish(
        leases.map { FinishedAttempt(lease: $0, outcome: .delivered(response: Data())) })
      try await harness.add(store, harness.new("waits"))
      for (id, ifKnown) in [
        ("sent", IfKnown.replace), ("over", .replace), ("waits", .refuse), ("over", .refuse),
      ] {
        var newer = harness.new(id, size: 5000)
        newer.ifKnown = ifKnown
        try await harness.fails(.known) {
          try await harness.add(store, harness.new("other"), newer)
        }
        try harness.equal(try await store.rows(["other".outboxID]).count { $0 != nil }, 0, "the added rows")
        try harness.expect(try await harness.row(store, id).size != 5000, "\(id) was replaced")
      }
    },
  ]
}
