import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxStoreConformance {
  static let reading: [Case] = [
    Case("gives rows in the order in which they are asked for") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a"), lab.new("b"))
      let rows = try await store.rows(["b", "x", "a", "b"].map(\.outboxID))
      try lab.equal(rows.map { $0?.id.rawValue }, ["b", nil, "a", "b"], "the rows")
    },

    Case("lists what is meant, page by page") { lab in
      let store = try await lab.open()
      for number in 0..<30 {
        try await lab.add(
          store, lab.new("\(number)", lane: number % 3 == 0 ? "l" : nil, priority: number % 4))
      }
      for claimed in try await lab.claim(store, 12).rows {
        let isOdd = claimed.row.sequence % 2 == 1
        try await lab.finish(
          store, claimed.lease, isOdd ? .delivered(answer: Data()) : .refused(reason: "", answer: nil))
      }
      let everything = try await lab.all(store)
      try lab.equal(everything.count, 30, "everything")
      let states: [Set<OutboxState>?] = [nil, [], [.stored], [.setAside], [.delivered, .stored], [.expired]]
      for states in states {
        for lane in [nil, OutboxSelection.Lane.named("l"), OutboxSelection.Lane.none] {
          for ids in [nil, (5..<25).map { "\($0)".outboxID }] {
            let selection = OutboxSelection(states: states, lane: lane, ids: ids)
            let expected = everything.filter { row in
              (states.map { $0.contains(row.state) } ?? true) && (ids.map { $0.contains(row.id) } ?? true)
                && (lane == nil || lane == row.lane.map { .named($0) } ?? OutboxSelection.Lane.none)
            }
            try lab.equal(try await pages(store, selection), expected, "what is listed of \(selection)")
          }
        }
      }
    },

    Case("lists long lists whole") { lab in
      let store = try await lab.open()
      _ = try await store.add((0..<1300).map { lab.new("\($0)") }, within: OutboxCaps(), at: lab.now)
      let rows = try await store.list(OutboxSelection(states: [.stored]), after: 0, limit: 1250)
      try lab.equal(rows.map(\.id.rawValue), (0..<1250).map { "\($0)" }, "the list")
      try lab.equal(try await store.list(.all, after: 0, limit: 0).count, 0, "a list of none")
    },

    Case("sums up what it holds") { lab in
      let store = try await lab.open()
      try lab.equal(try await store.statistics(), OutboxStatistics(), "what an empty one holds")
      try await lab.add(store, lab.new("a", size: 1))
      let first = lab.now.wall
      lab.advance(.seconds(1))
      try await lab.add(
        store, lab.new("b", lane: "l", size: 10), lab.new("c", lifetime: .seconds(1), size: 100),
        lab.new("d", size: 1000))
      let lease = try await lab.take(store, "a")
      try await lab.finish(store, lab.take(store, "b"), .refused(reason: "", answer: nil))
      lab.advance(.seconds(1))
      _ = try await lab.claim(store, 0)
      var expected = OutboxStatistics()
      expected.counts = [.trying: 1, .setAside: 1, .expired: 1, .stored: 1]
      (expected.bytes, expected.oldest) = (1011, first)
      var found = try await store.statistics()
      try lab.expect(found.bytesInAll >= 1111, "\(found.bytesInAll) bytes are counted with what has expired")
      // How much a store takes for a row that is over is its own matter.
      found.bytesInAll = 0
      try lab.equal(found, expected, "what it holds")
      try await lab.finish(store, lease, .delivered(answer: Data()))
      expected.counts = [.delivered: 1, .setAside: 1, .expired: 1, .stored: 1]
      (expected.bytes, expected.oldest) = (1010, first + 1000)
      found = try await store.statistics()
      found.bytesInAll = 0
      try lab.equal(found, expected, "what it holds after a delivery")
    },

    Case("tells when others change what is kept, and not when it does so itself") { lab in
      let (one, two) = (try await lab.open(), try await lab.open())
      let (heard, hear) = AsyncStream.makeStream(of: String.self)
      one.onForeignChange { hear.yield("one") }
      // Answered after it has begun to listen.
      _ = try await one.statistics()
      var next = heard.makeAsyncIterator()
      try await lab.add(one, lab.new("own"))
      _ = try await one.statistics()
      try await lab.add(two, lab.new("foreign"))
      try lab.equal(await next.next(isolation: nil), "one", "who heard it")
      let lease = try await lab.take(two, "own")
      try await lab.finish(two, lease, .delivered(answer: Data()))
      try lab.equal(await next.next(isolation: nil), "one", "who heard of the end")
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
