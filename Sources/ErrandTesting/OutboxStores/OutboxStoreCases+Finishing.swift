import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxStoreConformance {
  static let finishing: [Case] = [
    Case("keeps the answer of what was delivered, and nothing of what it consisted of") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a", files: ["y", "x"]))
      let lease = try await lab.take(store, "a")
      lab.advance(.seconds(1))
      let finished = try await lab.finish(store, lease, .delivered(answer: Data([1, 2])))
      try lab.equal(finished.files.sorted(), ["x", "y"], "the files")
      let row = try await lab.row(store, "a")
      try lab.equal(finished.row, row, "what became of it")
      try lab.equal(row.state, .delivered, "the state")
      try lab.equal(row.answer, Data([1, 2]), "the answer")
      try lab.equal(row.changed, lab.now.wall, "when it changed")
      try lab.equal(row.tries, 1, "the tries")
      try lab.equal(try await store.contents(of: ["a".outboxID]), [nil], "the content")
      try lab.equal(try await store.used(["x", "y"]), [], "the files in use")
    },

    Case("does not take a late answer of what was forgotten for one to what has its id now") { lab in
      let (one, two) = (try await lab.open(), try await lab.open())
      try await lab.add(one, lab.new("a"))
      let late = try await lab.take(one, "a", for: .seconds(1))
      lab.advance(.seconds(2))
      try await lab.finish(two, lab.take(two, "a"), .delivered(answer: Data()))
      _ = try await two.prune(changedBefore: lab.now.wall)
      try await lab.add(two, lab.new("a"))
      for outcome in [FinishedTry.Outcome.delivered(answer: Data([1])), .refused(reason: "", answer: nil)] {
        try lab.equal(try await lab.finish(one, late, outcome).row, nil, "what became of the late one")
        try lab.equal(try await lab.state(two, "a"), .stored, "the state of the new one")
      }
      _ = try await lab.take(two, "a")
    },

    Case("keeps an empty answer apart from none") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a"), lab.new("b"))
      try await lab.finish(store, lab.take(store, "a"), .refused(reason: "no", answer: Data()))
      try await lab.finish(store, lab.take(store, "b"), .refused(reason: "no", answer: nil))
      try lab.equal(try await lab.row(store, "a").answer, Data(), "the empty one")
      try lab.equal(try await lab.row(store, "b").answer, nil, "none")
    },

    Case("keeps all of what is set aside, with its reason") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a", files: ["x"]))
      let finished = try await lab.finish(
        store, lab.take(store, "a"), .refused(reason: "status 400", answer: Data([4])))
      let row = try await lab.row(store, "a")
      try lab.equal(finished, Finished(row: row), "what became of it")
      try lab.equal(row.state, .setAside, "the state")
      try lab.equal(row.reason, "status 400", "the reason")
      try lab.equal(row.answer, Data([4]), "the answer")
      let contents = try await store.contents(of: ["a".outboxID])
      try lab.equal(contents, [OutboxStoreLab.content("a")], "the content")
      try lab.equal(try await store.used(["x"]), ["x"], "the files in use")
      lab.advance(.seconds(1_000_000))
      try lab.equal(try await lab.claimed(store), [], "what was claimed")
    },

    Case("tries what failed again, not before its time") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a"))
      let lease = try await lab.take(store, "a")
      let finished = try await lab.finish(
        store, lease, .failed(reason: "status 503", next: .seconds(120), counts: true, wasOffline: false))
      try lab.equal(finished.row?.state, .stored, "the state")
      try lab.equal(finished.row?.reason, "status 503", "the reason")
      try lab.equal(finished.row?.due, lab.now.wall + 120_000, "when it is due")
      try lab.equal(finished.row?.countedTries, 1, "the tries that count")
      try lab.equal(try await store.statistics().nextDue, lab.now.wall + 120_000, "when the next is due")
      lab.advance(.milliseconds(119_999))
      let early = try await lab.claim(store)
      try lab.equal(early.rows.count, 0, "what was claimed early")
      try lab.equal(early.next, .milliseconds(1), "the next")
      lab.advance(.milliseconds(1))
      let row = try await lab.claim(store).rows.first?.row
      try lab.equal(row?.tries, 2, "the tries")
      try lab.equal(row?.due, nil, "when it is due")
    },

    Case("tries at once what failed without a wait") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a"))
      let lease = try await lab.take(store, "a")
      let finished = try await lab.finish(
        store, lease, .failed(reason: "", next: .zero, counts: false, wasOffline: false))
      try lab.equal(finished.row?.due, nil, "when it is due")
      try lab.equal(try await store.statistics().nextDue, nil, "when the next is due")
      _ = try await lab.take(store, "a")
    },

    Case("does not count tries that reached no server, nor those that were given back") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a"))
      let first = try await lab.take(store, "a")
      try await lab.finish(
        store, first, .failed(reason: "offline", next: .zero, counts: false, wasOffline: true))
      var row = try await lab.row(store, "a")
      try lab.equal([row.tries, row.countedTries], [1, 0], "the tries")
      let second = try await lab.take(store, "a")
      try await lab.finish(store, second, .returned)
      row = try await lab.row(store, "a")
      try lab.equal([row.tries, row.countedTries], [1, 0], "the tries after one was given back")
      try lab.equal(row.reason, "offline", "the reason")
      try lab.equal(row.state, .stored, "the state")
    },

    Case("hastens what failed because the way was missing, and nothing else") { lab in
      let store = try await lab.open()
      try await lab.add(store, lab.new("a"), lab.new("b"), lab.new("c", lane: "l"), lab.new("d", lane: "l"))
      for claimed in try await lab.claim(store).rows {
        try await lab.finish(
          store, claimed.lease,
          .failed(
            reason: "", next: .seconds(60), counts: false, wasOffline: claimed.row.id.rawValue != "b"))
      }
      try lab.equal(try await lab.claimed(store), [], "what was claimed before")
      try lab.equal(try await store.hasten(at: lab.now), 2, "what was hastened")
      try lab.equal(try await store.hasten(at: lab.now), 0, "what was hastened the second time")
      try lab.equal(try await lab.row(store, "a").due, nil, "when it is due")
      try lab.equal(try await lab.claimed(store), ["a", "c"], "what was claimed")
    },

    Case("says of what it does not know that it means nothing") { lab in
      let store = try await lab.open()
      let lease = Lease(id: "nobody".outboxID, number: 1)
      try lab.equal(try await lab.finish(store, lease, .delivered(answer: Data())), Finished(row: nil), "it")
      try lab.equal(try await store.renew([lease], for: .seconds(1), at: lab.now), [lease], "the lost")
      try lab.equal(try await store.rows([lease.id]), [nil], "the row")
    },
  ]
}
