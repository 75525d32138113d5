import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxStoreConformance {
  static let claiming: [Case] = [
    Case("claims the most important first, and of these the oldest") { lab in
      let store = try await lab.open()
      for (id, priority) in [("a", 0), ("b", 2), ("c", -1), ("d", 2), ("e", 0)] {
        try await lab.add(store, lab.new(id, priority: priority))
      }
      try lab.equal(try await lab.claimed(store, 3), ["b", "d", "a"], "the first three")
      try await lab.add(store, lab.new("f", priority: 1))
      try lab.equal(try await lab.claimed(store), ["f", "e", "c"], "the rest")
    },

    Case("claims nothing twice, whoever asks") { lab in
      let (one, two) = (try await lab.open(), try await lab.open())
      for number in 0..<60 { try await lab.add(one, lab.new("\(number)", lane: "\(number % 40)")) }
      let found = try await withThrowingTaskGroup(of: [String].self) { group in
        for worker in 0..<8 {
          group.addTask { try await lab.claimed(worker % 2 == 0 ? one : two, 7) }
        }
        return try await group.reduce([], +)
      }
      try lab.equal(found.count, 40, "what was claimed")
      try lab.equal(Set(found).count, 40, "what was claimed, each once")
    },

    Case("says that there is more, or when, or that nothing is to come") { lab in
      let store = try await lab.open()
      try lab.equal(try await lab.claim(store).next, nil, "the next of an empty store")
      try await lab.add(store, lab.new("a"), lab.new("b"))
      try lab.equal(try await lab.claim(store, 0).next, .zero, "the next when nothing was wanted")
      try lab.equal(try await lab.claim(store, 1).next, .zero, "the next while there is more")
      try lab.equal(
        try await lab.claim(store, for: .seconds(90)).next, .seconds(60), "the next when a lease ends")
    },

    Case("counts a try when it begins") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a"))
      lab.advance(.seconds(1))
      let claim = try await lab.claim(store)
      try lab.equal(claim.rows.map(\.row.tries), [1], "the tries")
      try lab.equal(claim.rows.map(\.row.countedTries), [1], "those that count")
      try lab.equal(claim.rows.map(\.row.changed), [lab.now.wall], "when it changed")
      try lab.equal(try await lab.row(store, "a"), claim.rows[0].row, "what is kept")
    },

    Case("leaves what is paused, also when it is opened again, and goes on when told") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a"), lab.new("b", lane: "l"), lab.new("c", lane: "m"))
      try await store.setPaused(true, lane: nil)
      try await store.setPaused(true, lane: "l")
      try await store.setPaused(true, lane: "l")
      let claim = try await lab.claim(store)
      try lab.equal(claim.rows.count, 0, "what was claimed")
      try lab.equal(claim.next, nil, "the next")
      await store.close()
      let again = try await lab.open()
      let statistics = try await again.statistics()
      try lab.expect(statistics.isPaused, "it is not paused any more")
      try lab.equal(statistics.pausedLanes, ["l"], "the paused lanes")
      try await again.setPaused(false, lane: nil)
      try lab.equal(try await lab.claimed(again), ["a", "c"], "what was claimed")
      try await lab.add(again, lab.new("d", lane: "l"), lab.new("e", lane: "n"))
      try lab.equal(try await lab.claimed(again), ["e"], "what was claimed beside the paused lane")
      try await again.setPaused(false, lane: "l")
      try lab.equal(try await lab.claimed(again), ["b"], "what was claimed of the lane")
    },

    Case("pauses a lane before it has anything, and while one of it is being tried") { lab in
      let store = try await lab.open()
      try await store.setPaused(true, lane: "l")
      try await lab.add(store, lab.new("a", lane: "l"), lab.new("b", lane: "l"))
      try lab.equal(try await lab.claimed(store), [], "what was claimed")
      try await store.setPaused(false, lane: "l")
      let lease = try await lab.take(store, "a")
      try await store.setPaused(true, lane: "l")
      try await lab.finish(store, lease, .failed(reason: "", next: .zero, counts: true, wasOffline: false))
      try lab.equal(try await lab.claimed(store), [], "what was claimed after the try")
      try await store.setPaused(false, lane: "l")
      _ = try await lab.take(store, "a")
    },

    Case("lets what is paused expire, and come due") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a", lane: "l"), lab.new("b", lane: "l", lifetime: .seconds(5)))
      let lease = try await lab.take(store, "a")
      try await lab.finish(
        store, lease, .failed(reason: "", next: .seconds(10), counts: true, wasOffline: false))
      try await store.setPaused(true, lane: "l")
      lab.advance(.seconds(11))
      let claim = try await lab.claim(store)
      try lab.equal(claim.expired.map(\.id.rawValue), ["b"], "what expired")
      try lab.equal(claim.rows.count, 0, "what was claimed")
      try await store.setPaused(false, lane: "l")
      _ = try await lab.take(store, "a")
    },
  ]
}
