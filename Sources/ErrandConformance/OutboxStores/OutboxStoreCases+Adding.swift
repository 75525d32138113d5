import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxStoreConformance {
  static let adding: [Case] = [
    Case("gives back what was added, to the last detail") { harness in
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

    Case("keeps the time at which a row expires, whenever it is added") { harness in
      let store = try await harness.open()
      let (later, past) = (harness.wall + 5000, harness.wall - 5000)
      for (id, end) in [("a", later), ("b", past)] {
        var new = harness.new(id)
        new.expiry = .at(end)
        harness.advance(.seconds(1))
        try await harness.add(store, new)
        try harness.equal(try await harness.row(store, id).expires, end, "when \(id) expires")
      }
      try harness.equal(try await harness.claimed(store), ["a"], "what was claimed")
      harness.advance(.seconds(10))
      try harness.equal(try await harness.row(store, "b").state, .expired, "the state of b")
    },

    Case("does not claim a row before its time, nor those behind it in its lane") { harness in
      let store = try await harness.open()
      var late = harness.new("late", lane: "l")
      late.notBefore = harness.wall + 5000
      var past = harness.new("past")
      past.notBefore = harness.wall - 5000
      try await harness.add(store, late, harness.new("behind", lane: "l"), past)
      try harness.equal(try await harness.row(store, "late").due, harness.wall + 5000, "when it is due")
      let claim = try await harness.claim(store)
      try harness.equal(claim.rows.map(\.row.id.rawValue), ["past"], "what was claimed")
      try harness.equal(claim.next, .seconds(5), "how long until there is more")
      // By durations: the wall clock is set, and the time stays the same.
      harness.setWall(by: .seconds(3600))
      try harness.equal(try await harness.claimed(store), [], "what was claimed after the clock was set")
      harness.advance(.seconds(4))
      try harness.equal(try await harness.claimed(store), [], "what was claimed too early")
      harness.advance(.seconds(1))
      try harness.equal(try await harness.claimed(store), ["late"], "what was claimed then")
      try harness.equal(try await harness.row(store, "late").attempts, 1, "the attempts")
    },

    Case("keeps contents of every size, byte for byte") { harness in
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

    Case("takes any id and any name of a lane") { harness in
      let store = try await harness.open()
      let names = [
        "", " ", "'", "\"; DROP TABLE requests; --", "%", "*", "a\0b", "a\nb", "ключ", "🔑",
        String(repeating: "long", count: 5000),
      ]
      for name in names { try await harness.add(store, harness.new(name, lane: name)) }
      try harness.equal(try await Set(harness.claimed(store)), Set(names), "what was claimed")
      for name in names {
        let listed = try await store.list(OutboxSelection(lane: .named(name)), after: 0, limit: 10)
        try harness.equal(listed.map(\.id.rawValue), [name], "what is in the lane")
      }
    },

    Case("keeps ids and lanes apart that differ in their bytes only") { harness in
      let store = try await harness.open()
      let names = ["z\u{E9}", "ze\u{301}"]
      let rows = names.map { harness.new($0, lane: $0) }
      for row in rows { try await harness.add(store, row) }
      let ids = rows.map(\.id)
      try harness.equal(try await store.contents(of: ids), rows.map(\.content), "the contents")
      let listed = try await store.list(OutboxSelection(ids: ids), after: 0, limit: 10)
      try harness.equal(listed.map(\.id), ids, "what is listed of both ids")
      for (name, id) in zip(names, ids) {
        let listed = try await store.list(OutboxSelection(lane: .named(name)), after: 0, limit: 10)
        try harness.equal(listed.map(\.id), [id], "what is in the lane")
      }
      // Two lanes, so neither waits for the other.
      try harness.equal(try await harness.claim(store, 5).rows.map(\.row.id), ids, "what was claimed")
    },

    Case("adds in the given order, and places grow") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("c"), harness.new("a"))
      try await harness.add(store, harness.new("b"))
      let rows = try await harness.all(store)
      try harness.equal(rows.map(\.id.rawValue), ["c", "a", "b"], "the order")
      try harness.expect(rows.map(\.sequence) == rows.map(\.sequence).sorted(), "places do not grow")
    },

    Case("never gives a place twice") { harness in
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

    Case("never gives a place twice, whichever is forgotten last, also when it is opened again") { harness in
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

    Case("skips what it has already, whatever became of it") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a", size: 10))
      try await harness.add(
        store, harness.new("a", priority: 9, size: 90), harness.new("b"), harness.new("b"))
      try harness.equal(try await harness.all(store).map(\.id.rawValue), ["a", "b"], "what is there")
      try harness.equal(try await harness.row(store, "a").size, 10, "the size of the first")
      let lease = try await harness.take(store, "a")
      try await harness.finish(store, lease, .delivered(response: Data()))
      try await harness.add(store, harness.new("a"))
      try harness.equal(try await harness.state(store, "a"), .delivered, "the state")
    },

    Case("adds all or none") { harness in
      let store = try await harness.open()
      var caps = OutboxCaps()
      caps.count = 2
      try await harness.fails(.full) {
        _ = try await harness.add(store, harness.new("a"), harness.new("b"), harness.new("c"), within: caps)
      }
      try harness.equal(try await harness.all(store).count, 0, "the rows")
      try await harness.add(store, harness.new("a"), harness.new("b"), within: caps)
      try harness.equal(try await harness.claimed(store), ["a", "b"], "what was claimed")
    },

    Case("takes what many tasks add at once, each once") { harness in
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
