import ErrandCore
import ErrandOutbox

extension OutboxStoreConformance {
  static let rates: [Case] = [
    Case("gives out the tokens of a rate limit to all owners together") { harness in
      let (store, other) = (try await harness.open(), try await harness.open())
      let limit = RateLimit(requests: 10, per: .seconds(1), burst: 2)
      try harness.equal(try await store.takePass("a", limit), RatePass(), "the first pass")
      try harness.equal(
        try await other.takePass("a", limit), RatePass(next: .milliseconds(100)),
        "the second pass, of another owner")
      harness.advance(.milliseconds(40))
      for store in [store, other] {
        try harness.equal(
          try await store.takePass("a", limit), RatePass(wait: .milliseconds(60)), "a pass over the limit")
      }
      harness.advance(.milliseconds(60))
      try harness.equal(
        try await store.takePass("a", limit), RatePass(next: .milliseconds(100)), "the pass after the wait")
    },

    Case("keeps a bucket for each origin, and forgets those that are full") { harness in
      let store = try await harness.open()
      let limit = RateLimit(requests: 1, per: .seconds(60))
      for origin in ["a", "b", ""] {
        try harness.equal(
          try await store.takePass(origin, limit), RatePass(next: .seconds(60)), "the pass of \(origin)")
      }
      harness.advance(.seconds(59))
      _ = try await store.prune(olderThan: .seconds(1))
      try harness.equal(
        try await store.takePass("a", limit), RatePass(wait: .seconds(1)), "the pass after a prune")
      harness.advance(.seconds(1))
      _ = try await store.prune(olderThan: .seconds(1))
      try harness.equal(
        try await store.takePass("a", limit), RatePass(next: .seconds(60)), "the pass of a full bucket")
    },

    Case("gives out no token twice at once") { harness in
      let (store, other) = (try await harness.open(), try await harness.open())
      let limit = RateLimit(requests: 1, per: .seconds(60), burst: 5)
      let passes = try await withThrowingTaskGroup(of: RatePass.self) { group in
        for index in 0..<20 {
          group.addTask { try await (index.isMultiple(of: 2) ? store : other).takePass("a", limit) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      try harness.equal(passes.count { $0.wait == .zero }, 5, "the passes that were given out")
    },
  ]
}
