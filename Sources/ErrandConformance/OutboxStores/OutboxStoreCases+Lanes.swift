import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxStoreConformance {
  static let lanes: [Case] = [
    Case("claims one row of a lane at a time, in order, regardless of priorities") { harness in
      let store = try await harness.open()
      let other = try await harness.open()
      try await harness.add(store, harness.new("a", lane: "l"), harness.new("b", lane: "l", priority: 9))
      try await harness.add(store, harness.new("c", lane: "m"), harness.new("d"), harness.new("e"))
      let claim = try await harness.claim(store)
      try harness.equal(claim.rows.map(\.row.id.rawValue), ["a", "c", "d", "e"], "the claimed rows")
      try harness.equal(try await harness.claimed(other), [], "the rows that another owner could claim")
      try await harness.finish(store, claim.rows[0].lease, .delivered(response: Data()))
      try harness.equal(
        try await harness.claimed(other), ["b"], "the rows that another owner could claim then")
    },

    Case("blocks a lane while its first row waits for its next attempt") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a", lane: "l"), harness.new("b", lane: "l"))
      let lease = try await harness.take(store, "a")
      try await harness.finish(
        store, lease, .failed(reason: "", next: .seconds(5), counts: true, wasOffline: false))
      try harness.equal(try await harness.claimed(store), [], "the claimed rows")
      harness.advance(.seconds(5))
      try harness.equal(try await harness.claimed(store), ["a"], "the claimed rows later")
    },

    Case("continues or blocks a lane after a dead letter, as the row says") { harness in
      let store = try await harness.open()
      for (lane, holds) in [("free", false), ("held", true)] {
        try await harness.add(
          store, harness.new("\(lane) 1", lane: lane, holds: holds), harness.new("\(lane) 2", lane: lane))
      }
      for claimed in try await harness.claim(store).rows {
        try await harness.finish(store, claimed.lease, .rejected(reason: "no", response: nil))
      }
      try harness.equal(try await harness.claimed(store), ["free 2"], "the claimed rows")
      _ = try await store.drop(OutboxSelection(ids: ["held 1".outboxID]), reason: "")
      try harness.equal(try await harness.claimed(store), ["held 2"], "the claimed rows when it was dropped")
    },

    Case("blocks a lane behind a dead letter that a claim created, as the row says") { harness in
      let store = try await harness.open()
      for (lane, holds) in [("free", false), ("held", true)] {
        try await harness.add(
          store, harness.new("\(lane) 1", lane: lane, holds: holds), harness.new("\(lane) 2", lane: lane))
      }
      for claimed in try await harness.claim(store).rows {
        try await harness.finish(
          store, claimed.lease, .failed(reason: "", next: .zero, counts: true, wasOffline: false))
      }
      var bounds = ClaimBounds(100)
      bounds.maxAttempts = 1
      let claim = try await store.claim(bounds, for: .seconds(60))
      try harness.equal(
        Set(claim.deadLettered.map(\.id.rawValue)), ["free 1", "held 1"], "the dead letters")
      let rest = try await harness.claimed(store)
      try harness.equal(claim.rows.map(\.row.id.rawValue) + rest, ["free 2"], "the claimed rows")
      _ = try await store.drop(OutboxSelection(ids: ["held 1".outboxID]), reason: "")
      try harness.equal(try await harness.claimed(store), ["held 2"], "the claimed rows when it was dropped")
    },

    Case("continues a lane when its first row is dropped or has expired") { harness in
      let store = try await harness.open()
      try await harness.add(
        store, harness.new("a", lane: "l"), harness.new("b", lane: "l", lifetime: .seconds(1)),
        harness.new("c", lane: "l"))
      _ = try await store.drop(OutboxSelection(ids: ["a".outboxID]), reason: "")
      harness.advance(.seconds(2))
      try harness.equal(try await harness.claimed(store), ["c"], "the claimed rows")
    },

    Case("skips dropped rows in the middle of a lane") { harness in
      let store = try await harness.open()
      for number in 1...5 { try await harness.add(store, harness.new("\(number)", lane: "l")) }
      let first = try await harness.take(store, "1")
      let selection = OutboxSelection(ids: ["2".outboxID, "4".outboxID])
      _ = try await store.drop(selection, reason: "")
      try await harness.finish(store, first, .delivered(response: Data()))
      let third = try await harness.take(store, "3")
      try harness.equal(try await harness.claimed(store), [], "the other claimed rows")
      try await harness.finish(store, third, .delivered(response: Data()))
      _ = try await harness.take(store, "5")
    },

    Case("delivers lanes independently") { harness in
      let store = try await harness.open()
      for lane in 0..<20 {
        for place in 0..<3 { try await harness.add(store, harness.new("\(lane) \(place)", lane: "\(lane)")) }
      }
      for place in 0..<3 {
        let claim = try await harness.claim(store)
        try harness.equal(
          claim.rows.map(\.row.id.rawValue), (0..<20).map { "\($0) \(place)" }, "the claimed rows")
        let attempts = claim.rows.map {
          FinishedAttempt(lease: $0.lease, outcome: .delivered(response: Data()))
        }
        let finished = try await store.finish(attempts)
        try harness.expect(finished.allSatisfy { $0.row?.state == .delivered }, "not all were delivered")
      }
    },
  ]

  static let returningToLanes: [Case] = [
    Case("returns a row that is retried by hand to its old position in its lane") { harness in
      let store = try await harness.open()
      for id in ["a", "b", "c"] { try await harness.add(store, harness.new(id, lane: "l")) }
      try await harness.finish(store, harness.take(store, "a"), .rejected(reason: "no", response: nil))
      let rows = try await store.retry(OutboxSelection(ids: ["a".outboxID]))
      try harness.equal(rows.map(\.state), [.stored], "the state")
      let first = try await harness.take(store, "a")
      try harness.equal(try await harness.claimed(store), [], "the other claimed rows")
      try await harness.finish(store, first, .delivered(response: Data()))
      _ = try await harness.take(store, "b")
    },

    Case("finishes a later row of a lane before an earlier one that was retried") { harness in
      let store = try await harness.open()
      for id in ["a", "b", "c"] { try await harness.add(store, harness.new(id, lane: "l")) }
      try await harness.finish(store, harness.take(store, "a"), .rejected(reason: "no", response: nil))
      let second = try await harness.take(store, "b")
      _ = try await store.retry(OutboxSelection(ids: ["a".outboxID]))
      try harness.equal(try await harness.claimed(store), [], "the claimed rows beside the second one")
      try await harness.finish(
        store, second, .failed(reason: "", next: .zero, counts: true, wasOffline: false))
      let first = try await harness.take(store, "a")
      try await harness.finish(store, first, .delivered(response: Data()))
      _ = try await harness.take(store, "b")
    },

    Case("retries a row that blocked its lane, and expired rows") { harness in
      let store = try await harness.open()
      try await harness.add(
        store, harness.new("a", lane: "l", holds: true), harness.new("b", lane: "l", lifetime: .seconds(1)),
        harness.new("c", lane: "l"))
      try await harness.finish(store, harness.take(store, "a"), .rejected(reason: "no", response: Data([1])))
      harness.advance(.seconds(2))
      try harness.equal(try await harness.claim(store).expired.map(\.id.rawValue), ["b"], "the expired rows")
      let rows = try await store.retry(.all)
      try harness.equal(rows.map(\.id.rawValue), ["a", "b", "c"], "the retried rows")
      try harness.equal(rows.map(\.expires), [nil, nil, nil], "its expiry time")
      for id in ["a", "b", "c"] {
        try await harness.finish(store, harness.take(store, id), .delivered(response: Data()))
      }
    },

    Case("keeps the order of a lane whose rows are retried in any order") { harness in
      let store = try await harness.open()
      let ids = (0..<9).map { "\($0)" }
      for id in ids { try await harness.add(store, harness.new(id, lane: "l")) }
      for id in ids {
        try await harness.finish(store, harness.take(store, id), .rejected(reason: "no", response: nil))
      }
      for id in ["5", "2", "7", "0", "8", "1", "3", "6", "4"] {
        _ = try await store.retry(OutboxSelection(ids: [id.outboxID]))
      }
      for id in ids { try await harness.finish(store, harness.take(store, id), .delivered(response: Data())) }
    },
  ]
}
