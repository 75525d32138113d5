import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxStoreConformance {
  static let byHand: [Case] = [
    Case("makes a waiting row due by hand, and keeps its attempts and its expiry") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a", lifetime: .seconds(100)), harness.new("b"))
      for claimed in try await harness.claim(store).rows {
        try await harness.finish(
          store, claimed.lease, .failed(reason: "", next: .seconds(60), counts: true, wasOffline: false))
      }
      let rows = try await store.retry(OutboxSelection(ids: ["a".outboxID]))
      try harness.equal(rows.map(\.due), [nil], "its due time")
      try harness.equal(rows.map(\.countedAttempts), [1], "the attempts that count")
      try harness.expect(rows.first?.expires != nil, "it has lost its expiry time")
      try harness.equal(try await harness.claimed(store), ["a"], "the claimed rows")
    },

    Case("resets the attempts of a dead letter that is retried by hand") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a", lifetime: .seconds(100)))
      try await harness.finish(store, harness.take(store, "a"), .rejected(reason: "no", response: Data([1])))
      harness.advance(.seconds(1))
      let rows = try await store.retry(.all)
      try harness.equal(rows, [try await harness.row(store, "a")], "the result")
      try harness.equal(rows.map(\.countedAttempts), [0], "the attempts that count")
      try harness.equal(rows.map(\.expires), [nil], "its expiry time")
      try harness.equal(rows.map(\.response), [nil], "the response")
      try harness.equal(rows.map(\.changed), [harness.wall], "the time of its last change")
      harness.advance(.seconds(1000))
      _ = try await harness.take(store, "a")
    },

    Case("does not retry or drop rows that are being attempted or finished") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a"), harness.new("b"), harness.new("c"))
      try await harness.finish(store, harness.take(store, "a"), .delivered(response: Data()))
      _ = try await harness.take(store, "b")
      try harness.equal(
        try await store.retry(.all).map(\.id.rawValue), ["c"], "the retried rows")
      let dropped = try await store.drop(.all, reason: "by hand")
      try harness.equal(dropped.rows.map(\.id.rawValue), ["c"], "the dropped rows")
      try harness.equal(try await store.retry(.all).count, 0, "the rows retried then")
      let rows = try await harness.all(store)
      try harness.equal(rows.map(\.state), [.delivered, .attempting, .dropped], "the states")
    },

    Case("retries a row of another owner by force, and then accepts only its delivery") {
      harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      try await harness.add(
        one, harness.new("a", lane: "l", lifetime: .seconds(100)), harness.new("b", lane: "l"),
        harness.new("c"))
      let hung = try await harness.claim(one, for: .seconds(10_000)).rows.map(\.lease)
      harness.advance(.seconds(1))
      try harness.equal(try await two.retry(.all).map(\.id.rawValue), ["b"], "the rows retried without force")
      let freed = try await two.retry(OutboxSelection(ids: ["a".outboxID, "c".outboxID]), force: true)
      try harness.equal(freed.map(\.id.rawValue), ["a", "c"], "the rows retried by force")
      try harness.equal(freed.map(\.state), [.stored, .stored], "the states")
      try harness.equal(freed.map(\.due), [nil, nil], "their due times")
      try harness.equal(freed.map(\.countedAttempts), [1, 1], "the attempts that count")
      try harness.expect(freed[0].expires != nil, "it has lost its expiry time")
      try harness.expect(freed[0].reason?.contains("no known end") ?? false, "the reason does not say why")
      try harness.equal(
        freed, [try await harness.row(one, "a"), try await harness.row(one, "c")], "the rows")
      try harness.equal(try await one.renew(hung, for: .seconds(10)), hung, "the lost leases")
      try harness.equal(
        try await harness.finish(one, hung[0], .rejected(reason: "late", response: nil)), Finished(row: nil),
        "the result of a late rejection")
      let claim = try await harness.claim(two)
      try harness.equal(claim.rows.map(\.row.id.rawValue), ["a", "c"], "the claimed rows")
      try harness.equal(claim.rows.map(\.row.attempts), [2, 2], "the attempts")
      try harness.equal(claim.recovered.count, 0, "the recovered rows")
      try harness.equal(
        try await harness.finish(one, hung[1], .delivered(response: Data([1]))).row?.state, .delivered,
        "the state after a late delivery")
      try await harness.finish(two, claim.rows[0].lease, .delivered(response: Data()))
      try harness.equal(try await harness.claimed(two), ["b"], "the rows of the next claim")
    },

    Case("drops selected rows with a reason, and deletes their contents and files") { harness in
      let store = try await harness.open()
      try await harness.add(
        store, harness.new("a", files: ["x"]), harness.new("b", lane: "l", files: ["y"]),
        harness.new("c", lane: "m"))
      let dropped = try await store.drop(
        OutboxSelection(lane: .named("l")), reason: "not wanted")
      try harness.equal(dropped.files, ["y"], "the files")
      try harness.equal(dropped.rows, [try await harness.row(store, "b")], "the dropped rows")
      try harness.equal(dropped.rows.map(\.reason), ["not wanted"], "the reason")
      try harness.equal(try await store.contents(of: ["b".outboxID]), [nil], "the content")
      let rest = try await store.drop(
        OutboxSelection(lane: OutboxSelection.Lane.none), reason: "")
      try harness.equal(rest.rows.map(\.id.rawValue), ["a"], "the dropped rows without a lane")
      try harness.equal(try await harness.claimed(store), ["c"], "the claimed rows")
    },

    Case("drops dead letters and expired rows, with their responses") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a"), harness.new("b", lifetime: .seconds(1)))
      try await harness.finish(store, harness.take(store, "a"), .rejected(reason: "no", response: Data([1])))
      harness.advance(.seconds(1))
      _ = try await harness.claim(store)
      let selection = OutboxSelection(states: [.deadLettered, .expired])
      let dropped = try await store.drop(selection, reason: "")
      try harness.equal(dropped.rows.map(\.id.rawValue), ["a", "b"], "the dropped rows")
      try harness.equal(dropped.rows.map(\.response), [nil, nil], "the responses")
    },

    Case("retries and drops many rows at once") { harness in
      let store = try await harness.open()
      let rows = (0..<1200).map { harness.new("\($0)", lane: "\($0 % 7)") }
      _ = try await store.add(rows, within: OutboxCaps())
      try harness.equal(try await store.retry(.all).count, 1200, "the retried rows")
      try harness.equal(try await harness.claimed(store).count, 7, "the claimed rows")
      try harness.equal(
        try await store.drop(.all, reason: "").rows.count, 1193, "the dropped rows")
    },

    Case("deletes only old finished rows") { harness in
      let store = try await harness.open()
      for id in ["a", "b", "c", "d", "e", "f"] {
        try await harness.add(
          store, harness.new(id, lifetime: id == "c" ? .seconds(1) : nil, files: ["file of \(id)"]))
      }
      try await harness.finish(store, harness.take(store, "a"), .delivered(response: Data([1])))
      try await harness.finish(store, harness.take(store, "b"), .rejected(reason: "", response: nil))
      harness.advance(.seconds(1))
      _ = try await harness.claim(store, 0)
      _ = try await store.drop(OutboxSelection(ids: ["d".outboxID]), reason: "")
      _ = try await harness.take(store, "e")
      try harness.equal(
        try await store.prune(olderThan: .milliseconds(1001)), [], "the files of rows that are too young")
      try harness.equal(try await harness.all(store).count, 6, "the remaining rows then")
      try harness.equal(
        try await store.prune(olderThan: .seconds(1)), [], "the files of the delivered row")
      try harness.equal(
        try await harness.all(store).map(\.id.rawValue), ["b", "c", "d", "e", "f"],
        "the remaining rows after that")
      try harness.equal(
        try await store.prune(olderThan: .zero), ["file of c"], "the files of the expired row"
      )
      try harness.equal(
        try await harness.all(store).map(\.id.rawValue), ["b", "e", "f"], "the remaining rows at the end")
      let used = try await store.used(["file of b", "file of c", "file of e", "nobody's"])
      try harness.equal(used, ["file of b", "file of e"], "the files in use")
    },

    Case("deletes very many rows") { harness in
      let store = try await harness.open()
      _ = try await store.add((0..<1700).map { harness.new("\($0)") }, within: OutboxCaps())
      _ = try await store.drop(.all, reason: "")
      _ = try await store.prune(olderThan: .zero)
      try harness.equal(try await harness.all(store).count, 0, "the remaining rows")
    },
  ]
}
