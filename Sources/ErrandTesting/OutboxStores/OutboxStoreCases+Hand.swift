import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxStoreConformance {
  static let hand: [Case] = [
    Case("makes what waits due when told, and leaves its tries and its end") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a", lifetime: .seconds(100)), lab.new("b"))
      for claimed in try await lab.claim(store).rows {
        try await lab.finish(
          store, claimed.lease, .failed(reason: "", next: .seconds(60), counts: true, wasOffline: false))
      }
      let rows = try await store.retry(OutboxSelection(ids: ["a".outboxID]), at: lab.now)
      try lab.equal(rows.map(\.due), [nil], "when it is due")
      try lab.equal(rows.map(\.countedTries), [1], "the tries that count")
      try lab.expect(rows.first?.expires != nil, "it has lost its end")
      try lab.equal(try await lab.claimed(store), ["a"], "what was claimed")
    },

    Case("gives what was set aside its tries back when told to try it again") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a", lifetime: .seconds(100)))
      try await lab.finish(store, lab.take(store, "a"), .refused(reason: "no", answer: Data([1])))
      lab.advance(.seconds(1))
      let rows = try await store.retry(.all, at: lab.now)
      try lab.equal(rows, [try await lab.row(store, "a")], "what became of it")
      try lab.equal(rows.map(\.countedTries), [0], "the tries that count")
      try lab.equal(rows.map(\.expires), [nil], "when it expires")
      try lab.equal(rows.map(\.answer), [nil], "the answer")
      try lab.equal(rows.map(\.changed), [lab.now.wall], "when it changed")
      lab.advance(.seconds(1000))
      _ = try await lab.take(store, "a")
    },

    Case("leaves what is being tried or over, when told to try everything again or to drop it") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a"), lab.new("b"), lab.new("c"))
      try await lab.finish(store, lab.take(store, "a"), .delivered(answer: Data()))
      _ = try await lab.take(store, "b")
      try lab.equal(try await store.retry(.all, at: lab.now).map(\.id.rawValue), ["c"], "what was retried")
      let dropped = try await store.drop(.all, reason: "by hand", at: lab.now)
      try lab.equal(dropped.rows.map(\.id.rawValue), ["c"], "what was dropped")
      try lab.equal(try await store.retry(.all, at: lab.now).count, 0, "what was retried then")
      let rows = try await lab.all(store)
      try lab.equal(rows.map(\.state), [.delivered, .trying, .dropped], "the states")
    },

    Case("drops what it is told to, with its reason, its content and its files") { lab in
      let store = try await lab.open()
      try await lab.add(
        store, lab.new("a", files: ["x"]), lab.new("b", lane: "l", files: ["y"]), lab.new("c", lane: "m"))
      let dropped = try await store.drop(
        OutboxSelection(lane: .named("l")), reason: "not wanted", at: lab.now)
      try lab.equal(dropped.files, ["y"], "the files")
      try lab.equal(dropped.rows, [try await lab.row(store, "b")], "what was dropped")
      try lab.equal(dropped.rows.map(\.reason), ["not wanted"], "the reason")
      try lab.equal(try await store.contents(of: ["b".outboxID]), [nil], "the content")
      let rest = try await store.drop(
        OutboxSelection(lane: OutboxSelection.Lane.none), reason: "", at: lab.now)
      try lab.equal(rest.rows.map(\.id.rawValue), ["a"], "what was dropped without a lane")
      try lab.equal(try await lab.claimed(store), ["c"], "what was claimed")
    },

    Case("drops what was set aside or has expired, answer and all") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a"), lab.new("b", lifetime: .seconds(1)))
      try await lab.finish(store, lab.take(store, "a"), .refused(reason: "no", answer: Data([1])))
      lab.advance(.seconds(1))
      _ = try await lab.claim(store)
      let selection = OutboxSelection(states: [.setAside, .expired])
      let dropped = try await store.drop(selection, reason: "", at: lab.now)
      try lab.equal(dropped.rows.map(\.id.rawValue), ["a", "b"], "what was dropped")
      try lab.equal(dropped.rows.map(\.answer), [nil, nil], "the answers")
    },

    Case("acts on many at once") { lab in
      let store = try await lab.open()
      let rows = (0..<1200).map { lab.new("\($0)", lane: "\($0 % 7)") }
      _ = try await store.add(rows, within: OutboxCaps(), at: lab.now)
      try lab.equal(try await store.retry(.all, at: lab.now).count, 1200, "what was retried")
      try lab.equal(try await lab.claimed(store).count, 7, "what was claimed")
      try lab.equal(
        try await store.drop(.all, reason: "", at: lab.now).rows.count, 1193, "what was dropped")
    },

    Case("forgets what is over and old, and nothing else") { lab in
      let store = try await lab.open()
      for id in ["a", "b", "c", "d", "e", "f"] {
        try await lab.add(
          store, lab.new(id, lifetime: id == "c" ? .seconds(1) : nil, files: ["file of \(id)"]))
      }
      try await lab.finish(store, lab.take(store, "a"), .delivered(answer: Data([1])))
      try await lab.finish(store, lab.take(store, "b"), .refused(reason: "", answer: nil))
      lab.advance(.seconds(1))
      _ = try await lab.claim(store, 0)
      _ = try await store.drop(OutboxSelection(ids: ["d".outboxID]), reason: "", at: lab.now)
      _ = try await lab.take(store, "e")
      try lab.equal(
        try await store.prune(changedBefore: lab.now.wall - 1001), [], "the files of what is too young")
      try lab.equal(try await lab.all(store).count, 6, "what is left then")
      try lab.equal(
        try await store.prune(changedBefore: lab.now.wall - 1000), [], "the files of what was delivered")
      try lab.equal(
        try await lab.all(store).map(\.id.rawValue), ["b", "c", "d", "e", "f"], "what is left after that")
      try lab.equal(
        try await store.prune(changedBefore: lab.now.wall + 1), ["file of c"], "the files of what expired")
      try lab.equal(try await lab.all(store).map(\.id.rawValue), ["b", "e", "f"], "what is left at last")
      let used = try await store.used(["file of b", "file of c", "file of e", "nobody's"])
      try lab.equal(used, ["file of b", "file of e"], "the files in use")
    },

    Case("forgets very many") { lab in
      let store = try await lab.open()
      _ = try await store.add((0..<1700).map { lab.new("\($0)") }, within: OutboxCaps(), at: lab.now)
      _ = try await store.drop(.all, reason: "", at: lab.now)
      _ = try await store.prune(changedBefore: lab.now.wall)
      try lab.equal(try await lab.all(store).count, 0, "what is left")
    },
  ]
}
