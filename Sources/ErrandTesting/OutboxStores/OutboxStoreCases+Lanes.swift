import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxStoreConformance {
  static let lanes: [Case] = [
    Case("tries one of a lane at a time, in their order, whatever their priorities") { lab in
      let store = try await lab.open()
      let other = try await lab.open()
      try await lab.add(store, lab.new("a", lane: "l"), lab.new("b", lane: "l", priority: 9))
      try await lab.add(store, lab.new("c", lane: "m"), lab.new("d"), lab.new("e"))
      let claim = try await lab.claim(store)
      try lab.equal(claim.rows.map(\.row.id.rawValue), ["a", "c", "d", "e"], "what was claimed")
      try lab.equal(try await lab.claimed(other), [], "what another could claim")
      try await lab.finish(store, claim.rows[0].lease, .delivered(answer: Data()))
      try lab.equal(try await lab.claimed(other), ["b"], "what another could claim then")
    },

    Case("keeps a lane waiting while its first waits for its next try") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a", lane: "l"), lab.new("b", lane: "l"))
      let lease = try await lab.take(store, "a")
      try await lab.finish(
        store, lease, .failed(reason: "", next: .seconds(5), counts: true, wasOffline: false))
      try lab.equal(try await lab.claimed(store), [], "what was claimed")
      lab.advance(.seconds(5))
      try lab.equal(try await lab.claimed(store), ["a"], "what was claimed later")
    },

    Case("lets a lane go on when one is set aside, or holds it, as it was added") { lab in
      let store = try await lab.open()
      for (lane, holds) in [("free", false), ("held", true)] {
        try await lab.add(
          store, lab.new("\(lane) 1", lane: lane, holds: holds), lab.new("\(lane) 2", lane: lane))
      }
      for claimed in try await lab.claim(store).rows {
        try await lab.finish(store, claimed.lease, .refused(reason: "no", answer: nil))
      }
      try lab.equal(try await lab.claimed(store), ["free 2"], "what was claimed")
      _ = try await store.drop(OutboxSelection(ids: ["held 1".outboxID]), reason: "", at: lab.now)
      try lab.equal(try await lab.claimed(store), ["held 2"], "what was claimed when it was dropped")
    },

    Case("lets a lane go on when its first is dropped or has expired") { lab in
      let store = try await lab.open()
      try await lab.add(
        store, lab.new("a", lane: "l"), lab.new("b", lane: "l", lifetime: .seconds(1)),
        lab.new("c", lane: "l"))
      _ = try await store.drop(OutboxSelection(ids: ["a".outboxID]), reason: "", at: lab.now)
      lab.advance(.seconds(2))
      try lab.equal(try await lab.claimed(store), ["c"], "what was claimed")
    },

    Case("skips those in the middle of a lane that are gone") { lab in
      let store = try await lab.open()
      for number in 1...5 { try await lab.add(store, lab.new("\(number)", lane: "l")) }
      let first = try await lab.take(store, "1")
      let selection = OutboxSelection(ids: ["2".outboxID, "4".outboxID])
      _ = try await store.drop(selection, reason: "", at: lab.now)
      try await lab.finish(store, first, .delivered(answer: Data()))
      let third = try await lab.take(store, "3")
      try lab.equal(try await lab.claimed(store), [], "what else was claimed")
      try await lab.finish(store, third, .delivered(answer: Data()))
      _ = try await lab.take(store, "5")
    },

    Case("does not let lanes wait for each other") { lab in
      let store = try await lab.open()
      for lane in 0..<20 {
        for place in 0..<3 { try await lab.add(store, lab.new("\(lane) \(place)", lane: "\(lane)")) }
      }
      for place in 0..<3 {
        let claim = try await lab.claim(store)
        try lab.equal(
          claim.rows.map(\.row.id.rawValue), (0..<20).map { "\($0) \(place)" }, "what was claimed")
        let tries = claim.rows.map { FinishedTry(lease: $0.lease, outcome: .delivered(answer: Data())) }
        let finished = try await store.finish(tries, at: lab.now)
        try lab.expect(finished.allSatisfy { $0.row?.state == .delivered }, "not all were delivered")
      }
    },
  ]

  static let returningToLanes: [Case] = [
    Case("gives what is tried again by hand its old place in its lane") { lab in
      let store = try await lab.open()
      for id in ["a", "b", "c"] { try await lab.add(store, lab.new(id, lane: "l")) }
      try await lab.finish(store, lab.take(store, "a"), .refused(reason: "no", answer: nil))
      let rows = try await store.retry(OutboxSelection(ids: ["a".outboxID]), at: lab.now)
      try lab.equal(rows.map(\.state), [.stored], "the state")
      let first = try await lab.take(store, "a")
      try lab.equal(try await lab.claimed(store), [], "what else was claimed")
      try await lab.finish(store, first, .delivered(answer: Data()))
      _ = try await lab.take(store, "b")
    },

    Case("lets a later one end its try before an earlier one that came back") { lab in
      let store = try await lab.open()
      for id in ["a", "b", "c"] { try await lab.add(store, lab.new(id, lane: "l")) }
      try await lab.finish(store, lab.take(store, "a"), .refused(reason: "no", answer: nil))
      let second = try await lab.take(store, "b")
      _ = try await store.retry(OutboxSelection(ids: ["a".outboxID]), at: lab.now)
      try lab.equal(try await lab.claimed(store), [], "what was claimed beside the second")
      try await lab.finish(
        store, second, .failed(reason: "", next: .zero, counts: true, wasOffline: false))
      let first = try await lab.take(store, "a")
      try await lab.finish(store, first, .delivered(answer: Data()))
      _ = try await lab.take(store, "b")
    },

    Case("puts back what held its lane, and what has expired") { lab in
      let store = try await lab.open()
      try await lab.add(
        store, lab.new("a", lane: "l", holds: true), lab.new("b", lane: "l", lifetime: .seconds(1)),
        lab.new("c", lane: "l"))
      try await lab.finish(store, lab.take(store, "a"), .refused(reason: "no", answer: Data([1])))
      lab.advance(.seconds(2))
      try lab.equal(try await lab.claim(store).expired.map(\.id.rawValue), ["b"], "what expired")
      let rows = try await store.retry(.all, at: lab.now)
      try lab.equal(rows.map(\.id.rawValue), ["a", "b", "c"], "what was put back")
      try lab.equal(rows.map(\.expires), [nil, nil, nil], "when it expires")
      for id in ["a", "b", "c"] {
        try await lab.finish(store, lab.take(store, id), .delivered(answer: Data()))
      }
    },

    Case("keeps the order of many that come back, in any order") { lab in
      let store = try await lab.open()
      let ids = (0..<9).map { "\($0)" }
      for id in ids { try await lab.add(store, lab.new(id, lane: "l")) }
      for id in ids { try await lab.finish(store, lab.take(store, id), .refused(reason: "no", answer: nil)) }
      for id in ["5", "2", "7", "0", "8", "1", "3", "6", "4"] {
        _ = try await store.retry(OutboxSelection(ids: [id.outboxID]), at: lab.now)
      }
      for id in ids { try await lab.finish(store, lab.take(store, id), .delivered(answer: Data())) }
    },
  ]
}
