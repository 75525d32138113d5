import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxStoreConformance {
  private static func caps(
    count: Int? = nil, bytes: Int64? = nil, _ whenFull: OutboxCaps.Rule = .refuse
  ) -> OutboxCaps {
    var caps = OutboxCaps()
    (caps.count, caps.bytes, caps.whenFull) = (count, bytes, whenFull)
    return caps
  }

  static let caps: [Case] = [
    Case("refuses rows over the caps for count and bytes, and changes nothing") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a", size: 60), within: caps(count: 1))
      try await harness.fails(.full) {
        _ = try await harness.add(store, harness.new("b"), within: caps(count: 1))
      }
      try await harness.fails(.full) {
        _ = try await harness.add(store, harness.new("b", size: 41), within: caps(bytes: 100))
      }
      try await harness.add(store, harness.new("b", size: 40), within: caps(count: 2, bytes: 100))
      try harness.equal(try await harness.all(store).map(\.id.rawValue), ["a", "b"], "the stored rows")
    },

    Case("skips rows that it already has, even if it is full") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a"), within: caps(count: 1))
      let dropped = try await harness.add(store, harness.new("a"), within: caps(count: 1, .dropOldest))
      try harness.equal(dropped, Dropped(known: [0]), "the dropped rows")
      try await harness.add(store, harness.new("a"), within: caps(count: 1))
    },

    Case("counts dead letters towards the caps, but not finished rows") { harness in
      let store = try await harness.open()
      let limits = caps(count: 2, bytes: 200)
      try await harness.add(
        store, harness.new("a", size: 100), harness.new("b", lifetime: .seconds(1), size: 100), within: limits
      )
      try await harness.finish(store, harness.take(store, "a"), .rejected(reason: "no", response: nil))
      try await harness.fails(.full) { _ = try await harness.add(store, harness.new("c"), within: limits) }
      harness.advance(.seconds(1))
      _ = try await harness.claimed(store)
      try await harness.add(store, harness.new("c", size: 100), within: limits)
      try await harness.fails(.full) { _ = try await harness.add(store, harness.new("d"), within: limits) }
      try await harness.finish(store, harness.take(store, "c"), .delivered(response: Data()))
      try await harness.add(store, harness.new("d", size: 100), within: limits)
    },

    Case("counts responses and expired rows, but deletes them before it refuses a row") { harness in
      let store = try await harness.open()
      let limits = caps(bytes: 100_000)
      try await harness.add(
        store, harness.new("a", size: 1000),
        harness.new("b", lifetime: .seconds(1), files: ["file of b"], size: 40_000), within: limits)
      try await harness.finish(store, harness.take(store, "a"), .delivered(response: Data(count: 30_000)))
      harness.advance(.seconds(1))
      _ = try await harness.claimed(store)
      let statistics = try await store.statistics()
      try harness.equal(statistics.bytes, 0, "the bytes of unfinished rows")
      try harness.expect(statistics.bytesInAll >= 70_000, "\(statistics.bytesInAll) bytes are counted")
      var dropped = try await harness.add(store, harness.new("c", size: 20_000), within: limits)
      try harness.equal(dropped, Dropped(), "the dropped rows")
      try harness.equal(try await harness.all(store).count, 3, "the known rows")
      dropped = try await harness.add(store, harness.new("d", size: 30_000), within: limits)
      try harness.equal(dropped, Dropped(), "the dropped rows")
      try harness.equal(
        try await harness.all(store).map(\.id.rawValue), ["b", "c", "d"], "the known rows then")
      dropped = try await harness.add(store, harness.new("e", size: 40_000), within: limits)
      try harness.equal(dropped, Dropped(files: ["file of b"]), "the files of the deleted expired row")
      try harness.equal(
        try await harness.all(store).map(\.id.rawValue), ["c", "d", "e"], "the known rows at the end")
      try await harness.fails(.full) {
        _ = try await harness.add(store, harness.new("f", size: 20_000), within: limits)
      }
    },

    Case("counts the response of a dead letter, until it is retried") { harness in
      let store = try await harness.open()
      let limits = caps(bytes: 100_000)
      try await harness.add(store, harness.new("a", size: 1000), within: limits)
      try await harness.finish(
        store, harness.take(store, "a"), .rejected(reason: "no", response: Data(count: 60_000)))
      try await harness.fails(.full) {
        _ = try await harness.add(store, harness.new("b", size: 50_000), within: limits)
      }
      _ = try await store.retry(.all)
      try await harness.add(store, harness.new("b", size: 50_000), within: limits)
    },

    Case("counts the stored and delivered rows of other owners") { harness in
      let stores = [try await harness.open(), try await harness.open()]
      let limits = caps(count: 3, bytes: 30)
      for (store, id) in [(0, "a"), (1, "b"), (0, "c")] {
        try await harness.add(stores[store], harness.new(id, size: 10), within: limits)
      }
      for (full, deliverer, id, next) in [
        (1, 0, "a", "d"), (0, 1, "b", "e"), (1, 1, "c", "f"), (0, 0, "d", "g"),
      ] {
        try await harness.fails(.full) {
          _ = try await harness.add(stores[full], harness.new("x", size: 10), within: limits)
        }
        try await harness.finish(
          stores[deliverer], harness.take(stores[deliverer], id), .delivered(response: Data()))
        try await harness.add(stores[full], harness.new(next, size: 10), within: limits)
      }
      try harness.equal(try await harness.claimed(stores[0]), ["e", "f", "g"], "the remaining rows in order")
    },

    Case("drops the oldest rows, and returns them with their files") { harness in
      let store = try await harness.open()
      let limits = caps(count: 3, .dropOldest)
      for id in ["a", "b", "c"] {
        try await harness.add(store, harness.new(id, priority: 5, files: ["file of \(id)"]), within: limits)
      }
      let dropped = try await harness.add(store, harness.new("d"), harness.new("e"), within: limits)
      try harness.equal(dropped.rows.map(\.id.rawValue), ["a", "b"], "the dropped rows")
      try harness.equal(dropped.rows.map(\.state), [.dropped, .dropped], "its state")
      try harness.expect(dropped.rows.allSatisfy { $0.reason != nil }, "the reason is missing")
      try harness.equal(dropped.files.sorted(), ["file of a", "file of b"], "its files")
      try harness.equal(try await harness.claimed(store), ["c", "d", "e"], "the remaining rows")
      try harness.equal(
        try await store.contents(of: ["a".outboxID]), [nil], "the content of the dropped row")
    },

    Case("does not drop rows that are being attempted or were added together") { harness in
      let store = try await harness.open()
      let limits = caps(count: 2, .dropOldest)
      try await harness.add(store, harness.new("a"), within: limits)
      _ = try await harness.take(store, "a")
      try await harness.add(store, harness.new("b"), within: limits)
      let dropped = try await harness.add(store, harness.new("c"), within: limits)
      try harness.equal(dropped.rows.map(\.id.rawValue), ["b"], "the dropped rows")
      try await harness.fails(.full) {
        _ = try await harness.add(store, harness.new("d"), harness.new("e"), within: limits)
      }
      try harness.equal(
        try await harness.state(store, "c"), .stored, "the state of the row that could have been dropped")
    },

    Case("drops nothing for a row that can never fit") { harness in
      let store = try await harness.open()
      let limits = caps(bytes: 100, .dropOldest)
      try await harness.add(store, harness.new("a", size: 100), within: limits)
      try await harness.fails(.full) {
        _ = try await harness.add(store, harness.new("b", size: 101), within: limits)
      }
      try harness.equal(try await harness.state(store, "a"), .stored, "the state")
    },

    Case("drops as many rows as necessary") { harness in
      let store = try await harness.open()
      let limits = caps(bytes: 100, .dropOldest)
      for id in ["a", "b", "c"] { try await harness.add(store, harness.new(id, size: 30), within: limits) }
      let dropped = try await harness.add(store, harness.new("d", size: 60), within: limits)
      try harness.equal(dropped.rows.map(\.id.rawValue), ["a", "b"], "the dropped rows")
    },

    Case("drops the least important, of these the oldest, and none that is more important") { harness in
      let store = try await harness.open()
      let limits = caps(count: 4, .dropLeastImportant)
      for (id, priority) in [("a", 2), ("b", 1), ("c", 1), ("d", 3)] {
        try await harness.add(store, harness.new(id, priority: priority), within: limits)
      }
      for (id, priority, expected) in [("e", 1, "b"), ("f", 5, "c"), ("g", 2, "e"), ("h", 2, "a")] {
        let dropped = try await harness.add(store, harness.new(id, priority: priority), within: limits)
        try harness.equal(dropped.rows.map(\.id.rawValue), [expected], "the rows dropped for \(id)")
      }
      try await harness.fails(.full) {
        _ = try await harness.add(store, harness.new("i", priority: 1), within: limits)
      }
      try harness.equal(try await harness.claimed(store), ["f", "d", "g", "h"], "the remaining rows")
    },

    Case("continues a lane when its first row is dropped to make room") { harness in
      let store = try await harness.open()
      let limits = caps(count: 2, .dropOldest)
      try await harness.add(store, harness.new("a", lane: "l"), harness.new("b", lane: "l"), within: limits)
      try await harness.add(store, harness.new("c", lane: "l"), within: limits)
      try await harness.finish(store, harness.take(store, "b"), .delivered(response: Data()))
      _ = try await harness.take(store, "c")
    },
  ]
}
