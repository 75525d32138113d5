import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxStoreConformance {
  static let claiming: [Case] = [
    Case("claims the most important first, and of these the oldest") { harness in
      let store = try await harness.open()
      for (id, priority) in [("a", 0), ("b", 2), ("c", -1), ("d", 2), ("e", 0)] {
        try await harness.add(store, harness.new(id, priority: priority))
      }
      try harness.equal(try await harness.claimed(store, 3), ["b", "d", "a"], "the first three")
      try await harness.add(store, harness.new("f", priority: 1))
      try harness.equal(try await harness.claimed(store), ["f", "e", "c"], "the rest")
    },

    Case("claims no row twice for concurrent owners") { harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      for number in 0..<60 { try await harness.add(one, harness.new("\(number)", lane: "\(number % 40)")) }
      let found = try await withThrowingTaskGroup(of: [String].self) { group in
        for worker in 0..<8 {
          group.addTask { try await harness.claimedWhileContended(worker % 2 == 0 ? one : two, 7) }
        }
        return try await group.reduce([], +)
      }
      try harness.equal(found.count, 40, "the claimed rows")
      try harness.equal(Set(found).count, 40, "the claimed rows without duplicates")
    },

    Case("returns when the next row may be claimed") { harness in
      let store = try await harness.open()
      try harness.equal(try await harness.claim(store).next, nil, "the next of an empty store")
      try await harness.add(store, harness.new("a"), harness.new("b"))
      try harness.equal(try await harness.claim(store, 0).next, .zero, "the next when nothing was wanted")
      try harness.equal(try await harness.claim(store, 1).next, .zero, "the next while there is more")
      try harness.equal(
        try await harness.claim(store, for: .seconds(90)).next, .seconds(60), "the next when a lease ends")
    },

    Case("counts an attempt when it begins") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a"))
      harness.advance(.seconds(1))
      let claim = try await harness.claim(store)
      try harness.equal(claim.rows.map(\.row.attempts), [1], "the attempts")
      try harness.equal(claim.rows.map(\.row.countedAttempts), [1], "the attempts that count")
      try harness.equal(claim.rows.map(\.row.changed), [harness.wall], "the time of its last change")
      try harness.equal(try await harness.row(store, "a"), claim.rows[0].row, "the stored row")
    },

    Case("claims nothing that is paused, also after reopening, until it is resumed") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a"), harness.new("b", lane: "l"), harness.new("c", lane: "m"))
      try await store.setPaused(true, lane: nil)
      try await store.setPaused(true, lane: "l")
      try await store.setPaused(true, lane: "l")
      let claim = try await harness.claim(store)
      try harness.equal(claim.rows.count, 0, "the claimed rows")
      try harness.equal(claim.next, nil, "the next")
      await store.close()
      let again = try await harness.open()
      let statistics = try await again.statistics()
      try harness.expect(statistics.isPaused, "it has lost its pause")
      try harness.equal(statistics.pausedLanes, ["l"], "the paused lanes")
      try await again.setPaused(false, lane: nil)
      try harness.equal(try await harness.claimed(again), ["a", "c"], "the claimed rows")
      try await harness.add(again, harness.new("d", lane: "l"), harness.new("e", lane: "n"))
      try harness.equal(try await harness.claimed(again), ["e"], "the claimed rows beside the paused lane")
      try await again.setPaused(false, lane: "l")
      try harness.equal(try await harness.claimed(again), ["b"], "the claimed rows of the lane")
    },

    Case("pauses an empty lane, and one whose row is being attempted") { harness in
      let store = try await harness.open()
      try await store.setPaused(true, lane: "l")
      try await harness.add(store, harness.new("a", lane: "l"), harness.new("b", lane: "l"))
      try harness.equal(try await harness.claimed(store), [], "the claimed rows")
      try await store.setPaused(false, lane: "l")
      let lease = try await harness.take(store, "a")
      try await store.setPaused(true, lane: "l")
      try await harness.finish(
        store, lease, .failed(reason: "", next: .zero, counts: true, wasOffline: false))
      try harness.equal(try await harness.claimed(store), [], "the claimed rows after the attempt")
      try await store.setPaused(false, lane: "l")
      _ = try await harness.take(store, "a")
    },

    Case("lets paused rows expire and become due") { harness in
      let store = try await harness.open()
      try await harness.add(
        store, harness.new("a", lane: "l"), harness.new("b", lane: "l", lifetime: .seconds(5)))
      let lease = try await harness.take(store, "a")
      try await harness.finish(
        store, lease, .failed(reason: "", next: .seconds(10), counts: true, wasOffline: false))
      try await store.setPaused(true, lane: "l")
      harness.advance(.seconds(11))
      let claim = try await harness.claim(store)
      try harness.equal(claim.expired.map(\.id.rawValue), ["b"], "the expired rows")
      try harness.equal(claim.rows.count, 0, "the claimed rows")
      try await store.setPaused(false, lane: "l")
      _ = try await harness.take(store, "a")
    },
  ]
}
