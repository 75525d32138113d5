import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxStoreConformance {
  static let uploads: [Case] = [
    Case("keeps the upload of a row for the next attempt, of any owner") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a"), harness.new("b"))
      let first = try await harness.take(store, "a")
      try harness.equal(try await store.uploads(of: [first.id]), [nil], "the upload at first")
      try harness.equal(
        try await store.keep(Data([1]), madeProgress: false, of: first), true, "that it is kept")
      try harness.equal(
        try await store.keep(Data([2, 0]), madeProgress: false, of: first), true, "that it is kept")
      try await harness.finish(
        store, first, .failed(reason: "cut", next: .zero, counts: true, wasOffline: false))
      let other = try await harness.open()
      try harness.equal(
        try await other.uploads(of: ["b", "a", "c"].map(OutboxID.init(rawValue:))),
        [nil, Data([2, 0]), nil],
        "the uploads")
    },

    Case("keeps no upload of a row whose lease has ended") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a"))
      let first = try await harness.take(store, "a", for: .seconds(10))
      try harness.equal(
        try await store.keep(Data([1]), madeProgress: true, of: first), true, "that it is kept")
      harness.advance(.seconds(11))
      let other = try await harness.open()
      let second = try await harness.take(other, "a")
      try harness.equal(
        try await store.keep(Data([3]), madeProgress: true, of: first), false, "that a late upload is kept")
      try harness.equal(try await other.uploads(of: [second.id]), [Data([1])], "the upload")
      try await harness.finish(other, second, .rejected(reason: "no", response: nil))
      try harness.equal(
        try await other.keep(Data([4]), madeProgress: false, of: second), false,
        "that an upload of the end is kept")
      try harness.equal(try await other.uploads(of: [second.id]), [Data([1])], "the upload of a dead letter")
    },

    Case("keeps the upload of a row that a late delivery does not change") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a", lifetime: .seconds(20)))
      let lease = try await harness.take(store, "a", for: .seconds(10))
      _ = try await store.keep(Data([1]), madeProgress: true, of: lease)
      harness.advance(.seconds(30))
      _ = try await harness.claim(store)
      try harness.equal(try await harness.state(store, "a"), .expired, "the state")
      var late = FinishedAttempt(lease: lease, outcome: .delivered(response: Data()))
      late.hasUpload = true
      try harness.equal(try await store.finish([late]).map(\.row), [nil], "that the delivery counts")
      try harness.equal(try await store.uploads(of: [lease.id]), [Data([1])], "the upload")
    },

    Case("counts attempts anew after an upload made progress") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a"))
      for _ in 0..<3 {
        let lease = try await harness.take(store, "a")
        try await harness.finish(
          store, lease, .failed(reason: "cut", next: .zero, counts: true, wasOffline: false))
      }
      let lease = try await harness.take(store, "a")
      try harness.equal(
        try await store.keep(Data([1]), madeProgress: false, of: lease), true, "that it is kept")
      try harness.equal(try await harness.row(store, "a").countedAttempts, 4, "the counted attempts before")
      try harness.equal(
        try await store.keep(Data([1]), madeProgress: true, of: lease), true, "that it is kept")
      try harness.equal(try await harness.row(store, "a").countedAttempts, 1, "the counted attempts")
      try harness.equal(try await harness.row(store, "a").attempts, 4, "the attempts")
      try await harness.finish(
        store, lease, .failed(reason: "cut", next: .zero, counts: false, wasOffline: false))
      try harness.equal(
        try await harness.row(store, "a").countedAttempts, 0, "the counted attempts at the end")
    },

    Case("removes the uploads of delivered rows at once, and of dropped ones at the next prune") { harness in
      let store = try await harness.open()
      try await harness.add(store, harness.new("a"), harness.new("b"), harness.new("c"), harness.new("d"))
      for id in ["a", "b", "c", "d"] {
        let lease = try await harness.take(store, id)
        _ = try await store.keep(Data(id.utf8), madeProgress: true, of: lease)
        var attempt = FinishedAttempt(
          lease: lease,
          outcome: id == "a" ? .delivered(response: Data()) : .rejected(reason: "no", response: nil))
        attempt.hasUpload = true
        _ = try await store.finish([attempt])
      }
      let ids = ["a", "b", "c", "d"].map(OutboxID.init(rawValue:))
      try harness.equal(
        try await store.uploads(of: ids), [nil, Data("b".utf8), Data("c".utf8), Data("d".utf8)],
        "the uploads after the ends")
      var dropped = OutboxSelection()
      dropped.ids = [ids[1]]
      _ = try await store.drop(dropped, reason: "by hand")
      var retried = OutboxSelection()
      retried.ids = [ids[2]]
      _ = try await store.retry(retried)
      _ = try await store.prune(olderThan: .seconds(1))
      try harness.equal(
        try await store.uploads(of: ids), [nil, nil, Data("c".utf8), Data("d".utf8)],
        "the uploads after a prune")
    },
  ]
}
