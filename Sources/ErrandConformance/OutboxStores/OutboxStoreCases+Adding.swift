import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxStoreConformance {
  static let adding: [Case] = [
    Case("returns an added row with all its details") { harness in
      let store = try await harness.open()
      var new = harness.new(
        "a", lane: "l", priority: -3, lifetime: .seconds(9), files: ["f1", "f2"], size: 700)
      new.summary = Data(0...255)
      try await harness.add(store, new)
      let row = try await harness.row(store, "a")
      let expected = OutboxRow(
        id: "a".outboxID, sequence: row.sequence, lane: "l", priority: -3, state: .stored,
        created: harness.wall, changed: harness.wall, attempts: 0, countedAttempts: 0, due: nil,
        expires: harness.wall + 9000, reason: nil, size: 700, summary: Data(0...255), response: nil)
      try harness.equal(row, expected, "the row")
      let contents = try await store.contents(of: ["b".outboxID, "a".outboxID])
      try harness.equal(contents, [nil, OutboxStoreHarness.content("a")], "the contents")
    },

    Case("keeps the expiry time of a row, even if it has passed") { harness in
      let store = try await harness.open()
      let (later, past) = (harness.wall + 5000, harness.wall - 5000)
      for (id, end) in [("a", later), ("b", past)] {
        var new = harness.new(id)
        new.expiry = .at(end)
        harness.advance(.seconds(1))
        try await harness.add(store, new)
        try harness.equal(try await harness.row(store, id).expires, end, "when \(id) expires")
      }
      try harness.equal(try await harness.claimed(store), ["a"], "the claimed rows")
      harness.advance(.seconds(10))
      try harness.equal(try await harness.row(store, "b").state, .expired, "the state of b")
    },

    Case("does not claim a row, or later rows of its lane, before its time") { harness in
      let store = try await harness.open()
      var late = harness.new("late", lane: "l")
      late.notBefore = harness.wall + 5000
      var past = harness.new("past")
      past.notBefore = harness.wall - 5000
      try await harness.add(store, late, harness.new("behind", lane: "l"), past)
      try harness.equal(try await harness.row(store, "late").due, harness.wall + 5000, "its due time")
      let claim = try await harness.claim(store)
      try harness.equal(claim.rows.map(\.row.id.rawValue), ["past"], "the claimed rows")
      try harness.equal(claim.next, .seconds(5), "the time until the next row")
      // The store must measure durations, so setting the wall clock must not change the time.
      harness.setWall(by: .seconds(3600))
      try harness.equal(try await harness.claimed(store), [], "the claimed rows after the clock was set")
      harness.advance(.seconds(4))
      try harness.equal(try await harness.claimed(store), [], "the claimed rows too early")
      harness.advance(.seconds(1))
      try harness.equal(try await harness.claimed(store), ["late"], "the rows of the next claim")
      try harness.equal(try await harness.row(store, "late").attempts, 1, "the attempts")
    },

    Case("stores contents of every size byte for byte") { harness in
      let store = try await harness.open()
      for (number, size) in [0, 1, 100, 5000, 3_000_000].enumerated() {
        var new = harness.new("\(number)")
        new.content = Data.noise(size)
        new.size = Int64(size)
        try await harness.add(store, new)
        let claim = try await store.claim(1, for: .seconds(1))
        try harness.expect(
          claim.rows.first?.content == new.content, "the content of \(size) bytes has changed")
      }
    },

    Case("accepts any id and any lane name") { harness in
      let store = try await harness.open()
      let names = [
        "", " ", "'", "\"; DROP TABLE requests; --", "%", "*", "a\0b", "a\nb", "ключ", "🔑",
        String(repeating: "long", count: 5000),
      ]
      for name in names { try await harness.add(store, harness.new(name, lane: name)) }
      try harness.equal(try await Set(harness.claimed(store)), Set(names), "the claimed rows")
      for name in names {
        let listed = try await store.list(OutboxSelection(lane: .named(name)), after: 0, limit: 10)
        try harness.equal(listed.map(\.id.rawValue), [name], "the rows in the lane")
      }
    },

    Case("distinguishes ids and lanes that differ only in their bytes") { harness in
      let store = try await harness.open()
      let names = ["z\u{E9}", "ze\u{301}"]
      let rows = names.map { harness.new($0, lane: $0) }
      for row in rows { try await harness.add(store, row) }
      let ids = rows.map(\.id)
      try harness.equal(try await store.contents(of: ids), rows.map(\.content), "the contents")
      let listed = try await store.list(OutboxSelection(ids: ids), after: 0, limit: 10)
      try harness.equal(listed.map(\.id), ids, "the listed rows of both ids")
      for (name, id) in zip(names, ids) {
        let listed = try await store.list(OutboxSelection(lane: .named(name)), after: 0, limit: 10)
        try harness.equal(listed.map(\.id), [id], "the rows in the lane")
      }
      // These are two lanes, so both rows can be claimed.
      try harness.equal(try await harness.claim(store, 5).rows.map(\.row.id), ids, "the claimed rows")
    },

    Case("adds rows in the given order, with increasing sequence numbers") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("c"), harness.new("a"))
      try await harness.add(store, harness.new("b"))
      let rows = try await harness.all(store)
      try harness.equal(rows.map(\.id.rawValue), ["c", "a", "b"], "the order")
      try harness.expect(
        rows.map(\.sequence) == rows.map(\.sequence).sorted(), "the sequence numbers do not increase")
    },

    Case("never assigns a sequence number twice") { harness in
      let store = try await harness.open()
      var last: Int64 = 0
      for number in 0..<4 {
        try await harness.add(store, harness.new("\(number)"))
        let row = try await harness.row(store, "\(number)")
        try harness.expect(row.sequence > last, "place \(row.sequence) was given before")
        last = row.sequence
        _ = try await store.drop(.all, reason: "")
        _ = try await store.prune(olderThan: .zero)
      }
    },

    Case("never assigns a sequence number twice, even after deletions and reopening") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a"), harness.new("b"), harness.new("c"))
      let last = try await harness.row(store, "c").sequence
      for id in ["c", "b", "a"] {
        _ = try await store.drop(OutboxSelection(ids: [id.outboxID]), reason: "")
        _ = try await store.prune(olderThan: .zero)
        harness.advance(.seconds(1))
      }
      await store.close()
      let again = try await harness.open()
      try await harness.add(again, harness.new("d"))
      let row = try await harness.row(again, "d")
      try harness.expect(row.sequence > last, "place \(row.sequence) was given before")
    },

    Case("skips rows that it already has, in any state") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a", size: 10))
      try await harness.add(
        store, harness.new("a", priority: 9, size: 90), harness.new("b"), harness.new("b"))
      try harness.equal(try await harness.all(store).map(\.id.rawValue), ["a", "b"], "the stored rows")
      try harness.equal(try await harness.row(store, "a").size, 10, "the size of the first")
      let lease = try await harness.take(store, "a")
      try await harness.finish(store, lease, .delivered(response: Data()))
      try await harness.add(store, harness.new("a"))
      try harness.equal(try await harness.state(store, "a"), .delivered, "the state")
    },

    Case("adds all rows or none") { harness in
      let store = try await harness.open()
      var caps = OutboxCaps()
      caps.count = 2
      try await harness.fails(.full) {
        _ = try await harness.add(store, harness.new("a"), harness.new("b"), harness.new("c"), within: caps)
      }
      try harness.equal(try await harness.all(store).count, 0, "the rows")
      try await harness.add(store, harness.new("a"), harness.new("b"), within: caps)
      try harness.equal(try await harness.claimed(store), ["a", "b"], "the claimed rows")
    },

    Case("adds the rows of many concurrent tasks once each") { harness in
      let stores = [try await harness.open(), try await harness.open()]
      try await withThrowingTaskGroup(of: Void.self) { group in
        for worker in 0..<8 {
          group.addTask {
            for step in 0..<20 {
              try await harness.add(
                stores[worker % 2], harness.new("\(worker) \(step)", lane: "\(worker)"),
                harness.new("\(step)"))
            }
          }
        }
        try await group.waitForAll()
      }
      let rows = try await harness.all(stores[0])
      try harness.equal(rows.count, 8 * 20 + 20, "the rows")
      for worker in 0..<8 {
        let lane = rows.filter { $0.lane == "\(worker)" }.map(\.id.rawValue)
        try harness.equal(lane, (0..<20).map { "\(worker) \($0)" }, "the order of a lane")
      }
    },
  ]
}

extension String {
  var outboxID: OutboxID { OutboxID(rawValue: self) }
}
