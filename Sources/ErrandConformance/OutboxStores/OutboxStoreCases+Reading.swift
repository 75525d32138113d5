import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxStoreConformance {
  static let reading: [Case] = [
    Case("returns rows in the requested order") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a"), harness.new("b"))
      let rows = try await store.rows(["b", "x", "a", "b"].map(\.outboxID))
      try harness.equal(rows.map { $0?.id.rawValue }, ["b", nil, "a", "b"], "the rows")
    },

    Case("lists selected rows page by page") { harness in
      let store = try await harness.open()
      for number in 0..<30 {
        try await harness.add(
          store, harness.new("\(number)", lane: number % 3 == 0 ? "l" : nil, priority: number % 4))
      }
      for claimed in try await harness.claim(store, 12).rows {
        let isOdd = claimed.row.sequence % 2 == 1
        try await harness.finish(
          store, claimed.lease, isOdd ? .delivered(response: Data()) : .rejected(reason: "", response: nil))
      }
      let everything = try await harness.all(store)
      try harness.equal(everything.count, 30, "everything")
      let states: [Set<OutboxState>?] = [
        nil, [], [.stored], [.deadLettered], [.delivered, .stored], [.expired],
      ]
      for states in states {
        for lane in [nil, OutboxSelection.Lane.named("l"), OutboxSelection.Lane.none] {
          for ids in [nil, (5..<25).map { "\($0)".outboxID }] {
            let selection = OutboxSelection(states: states, lane: lane, ids: ids)
            let expected = everything.filter { row in
              (states.map { $0.contains(row.state) } ?? true) && (ids.map { $0.contains(row.id) } ?? true)
                && (lane == nil || lane == row.lane.map { .named($0) } ?? OutboxSelection.Lane.none)
            }
            try harness.equal(try await pages(store, selection), expected, "the listed rows of \(selection)")
          }
        }
      }
    },

    Case("lists the few rows of one state among many of other states") { harness in
      let store = try await harness.open()
      for number in 0..<40 { try await harness.add(store, harness.new("\(number)")) }
      let dropped = ["0", "3", "20", "39"].map(\.outboxID)
      _ = try await store.drop(OutboxSelection(ids: dropped), reason: "")
      for claimed in try await harness.claim(store, 18).rows {
        try await harness.finish(store, claimed.lease, .delivered(response: Data()))
      }
      let everything = try await harness.all(store)
      for states: Set<OutboxState> in [[.dropped], [.dropped, .delivered], [.dropped, .stored]] {
        for limit in [1, 2, 3] {
          var (found, last) = ([OutboxRow](), Int64(0))
          repeat {
            let page = try await store.list(OutboxSelection(states: states), after: last, limit: limit)
            found += page
            last = page.count == limit ? page[limit - 1].sequence : 0
          } while last > 0
          let expected = everything.filter { states.contains($0.state) }
          try harness.equal(found, expected, "the listed rows of \(states), \(limit) at once")
        }
      }
    },

    Case("lists long lists completely") { harness in
      let store = try await harness.open()
      _ = try await store.add((0..<1300).map { harness.new("\($0)") }, within: OutboxCaps())
      let rows = try await store.list(OutboxSelection(states: [.stored]), after: 0, limit: 1250)
      try harness.equal(rows.map(\.id.rawValue), (0..<1250).map { "\($0)" }, "the list")
      try harness.equal(try await store.list(.all, after: 0, limit: 0).count, 0, "an empty list")
    },

    Case("counts the rows of each lane") { harness in
      let store = try await harness.open()
      for (lane, holds) in [("held", true), ("free", false)] {
        try await harness.add(
          store, harness.new("\(lane) 1", lane: lane, holds: holds), harness.new("\(lane) 2", lane: lane))
      }
      try await harness.add(store, harness.new("a"), harness.new("b"), harness.new("c"))
      for claimed in try await harness.claim(store).rows {
        switch claimed.row.id.rawValue {
        case "a":
          try await harness.finish(
            store, claimed.lease, .failed(reason: "", next: .seconds(60), counts: true, wasOffline: false))
        case "b": try await harness.finish(store, claimed.lease, .delivered(response: Data()))
        case "c": break
        default: try await harness.finish(store, claimed.lease, .rejected(reason: "", response: nil))
        }
      }
      try harness.equal(try await harness.claimed(store), ["free 2"], "the rows of the next claim")
      let lanes = try await store.laneStatistics()
      try harness.equal(lanes.map(\.lane), ["held", "free", nil], "the lanes")
      try harness.equal(
        lanes.map(\.counts),
        [
          [.deadLettered: 1, .stored: 1], [.deadLettered: 1, .attempting: 1], [.stored: 1, .attempting: 1],
        ],
        "the counts of the lanes")
    },

    Case("counts its rows and their bytes") { harness in
      let store = try await harness.open()
      try harness.equal(try await store.statistics(), OutboxStatistics(), "the statistics of an empty store")
      try await harness.add(store, harness.new("a", size: 1))
      let first = harness.wall
      harness.advance(.seconds(1))
      try await harness.add(
        store, harness.new("b", lane: "l", size: 10), harness.new("c", lifetime: .seconds(1), size: 100),
        harness.new("d", size: 1000))
      let lease = try await harness.take(store, "a")
      try await harness.finish(store, harness.take(store, "b"), .rejected(reason: "", response: nil))
      harness.advance(.seconds(1))
      _ = try await harness.claim(store, 0)
      var expected = OutboxStatistics()
      expected.counts = [.attempting: 1, .deadLettered: 1, .expired: 1, .stored: 1]
      (expected.bytes, expected.oldest) = (1011, first)
      var found = try await store.statistics()
      try harness.expect(
        found.bytesInAll >= 1111, "\(found.bytesInAll) bytes are counted including expired rows")
      // The store decides the size of a finished row.
      found.bytesInAll = 0
      try harness.equal(found, expected, "the statistics")
      try await harness.finish(store, lease, .delivered(response: Data()))
      expected.counts = [.delivered: 1, .deadLettered: 1, .expired: 1, .stored: 1]
      (expected.bytes, expected.oldest) = (1010, first + 1000)
      found = try await store.statistics()
      found.bytesInAll = 0
      try harness.equal(found, expected, "the statistics after a delivery")
    },

    Case("reports changes by other owners, but not its own") { harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      let (heard, hear) = AsyncStream.makeStream(of: String.self)
      one.onForeignChange { hear.yield("one") }
      // This read returns only after the store has begun to listen.
      _ = try await one.statistics()
      var next = heard.makeAsyncIterator()
      try await harness.add(one, harness.new("own"))
      _ = try await one.statistics()
      try await harness.add(two, harness.new("foreign"))
      try harness.equal(await next.next(isolation: nil), "one", "the store that was notified")
      let lease = try await harness.take(two, "own")
      try await harness.finish(two, lease, .delivered(response: Data()))
      try harness.equal(await next.next(isolation: nil), "one", "the store that was notified of the end")
      hear.finish()
    },
  ]

  private static func pages(
    _ store: any OutboxStore, _ selection: OutboxSelection
  ) async throws -> [OutboxRow] {
    var rows: [OutboxRow] = []
    while true {
      let page = try await store.list(selection, after: rows.last?.sequence ?? 0, limit: 4)
      rows += page
      if page.count < 4 { return rows }
    }
  }
}
