import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxStoreConformance {
  static let adding: [Case] = [
    Case("gives back what was added, to the last detail") { lab in
      let store = try await lab.open()
      var new = lab.new("a", lane: "l", priority: -3, lifetime: .seconds(9), files: ["f1", "f2"], size: 700)
      new.summary = Data(0...255)
      try await lab.add(store, new)
      let row = try await lab.row(store, "a")
      let expected = OutboxRow(
        id: "a".outboxID, sequence: row.sequence, lane: "l", priority: -3, state: .stored,
        created: lab.now.wall, changed: lab.now.wall, tries: 0, countedTries: 0, due: nil,
        expires: lab.now.wall + 9000, reason: nil, size: 700, summary: Data(0...255), answer: nil)
      try lab.equal(row, expected, "the row")
      let contents = try await store.contents(of: ["b".outboxID, "a".outboxID])
      try lab.equal(contents, [nil, OutboxStoreLab.content("a")], "the contents")
    },

    Case("keeps contents of every size, byte for byte") { lab in
      let store = try await lab.open()
      for (number, size) in [0, 1, 100, 5000, 3_000_000].enumerated() {
        var new = lab.new("\(number)")
        new.content = ConformanceLab.bytes(size)
        new.size = Int64(size)
        try await lab.add(store, new)
        let claim = try await store.claim(1, for: .seconds(1), at: lab.now)
        try lab.expect(claim.rows.first?.content == new.content, "the content of \(size) bytes has changed")
      }
    },

    Case("takes any id and any name of a lane") { lab in
      let store = try await lab.open()
      let names = [
        "", " ", "'", "\"; DROP TABLE requests; --", "%", "*", "a\0b", "a\nb", "ключ", "🔑",
        String(repeating: "long", count: 5000),
      ]
      for name in names { try await lab.add(store, lab.new(name, lane: name)) }
      try lab.equal(try await Set(lab.claimed(store)), Set(names), "what was claimed")
      for name in names {
        let listed = try await store.list(OutboxSelection(lane: .named(name)), after: 0, limit: 10)
        try lab.equal(listed.map(\.id.rawValue), [name], "what is in the lane")
      }
    },

    Case("adds in the given order, and places grow") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("c"), lab.new("a"))
      try await lab.add(store, lab.new("b"))
      let rows = try await lab.all(store)
      try lab.equal(rows.map(\.id.rawValue), ["c", "a", "b"], "the order")
      try lab.expect(rows.map(\.sequence) == rows.map(\.sequence).sorted(), "places do not grow")
    },

    Case("never gives a place twice") { lab in
      let store = try await lab.open()
      var last: Int64 = 0
      for number in 0..<4 {
        try await lab.add(store, lab.new("\(number)"))
        let row = try await lab.row(store, "\(number)")
        try lab.expect(row.sequence > last, "place \(row.sequence) was given before")
        last = row.sequence
        _ = try await store.drop(.all, reason: "", at: lab.now)
        _ = try await store.prune(changedBefore: lab.now.wall)
      }
    },

    Case("skips what it has already, whatever became of it") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a", size: 10))
      try await lab.add(store, lab.new("a", priority: 9, size: 90), lab.new("b"), lab.new("b"))
      try lab.equal(try await lab.all(store).map(\.id.rawValue), ["a", "b"], "what is there")
      try lab.equal(try await lab.row(store, "a").size, 10, "the size of the first")
      let lease = try await lab.take(store, "a")
      try await lab.finish(store, lease, .delivered(answer: Data()))
      try await lab.add(store, lab.new("a"))
      try lab.equal(try await lab.state(store, "a"), .delivered, "the state")
    },

    Case("adds all or none") { lab in
      let store = try await lab.open()
      var caps = OutboxCaps()
      caps.count = 2
      try await lab.fails(.full) {
        _ = try await lab.add(store, lab.new("a"), lab.new("b"), lab.new("c"), within: caps)
      }
      try lab.equal(try await lab.all(store).count, 0, "the rows")
      try await lab.add(store, lab.new("a"), lab.new("b"), within: caps)
      try lab.equal(try await lab.claimed(store), ["a", "b"], "what was claimed")
    },

    Case("takes what many tasks add at once, each once") { lab in
      let stores = [try await lab.open(), try await lab.open()]
      try await withThrowingTaskGroup(of: Void.self) { group in
        for worker in 0..<8 {
          group.addTask {
            for step in 0..<20 {
              try await lab.add(
                stores[worker % 2], lab.new("\(worker) \(step)", lane: "\(worker)"), lab.new("\(step)"))
            }
          }
        }
        try await group.waitForAll()
      }
      let rows = try await lab.all(stores[0])
      try lab.equal(rows.count, 8 * 20 + 20, "the rows")
      for worker in 0..<8 {
        let lane = rows.filter { $0.lane == "\(worker)" }.map(\.id.rawValue)
        try lab.equal(lane, (0..<20).map { "\(worker) \($0)" }, "the order of a lane")
      }
    },
  ]
}

extension String {
  var outboxID: OutboxID { OutboxID(rawValue: self) }
}
