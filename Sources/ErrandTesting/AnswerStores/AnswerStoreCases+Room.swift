import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension AnswerStoreConformance {
  static let room: [Case] = [
    Case("never keeps more than its limit") { lab in
      let limit = 60_000
      let store = try lab.store(limit: limit)
      for number in 0..<200 {
        let size = number * 7919 % 9000
        try await store.write(lab.answer(size: size), under: AnswerKey("\(number % 60)"))
        let sizes = try await store.list().map(\.size)
        let sum = sizes.reduce(0, +)
        try lab.expect(sum <= limit, "\(sum) bytes are kept, and the limit is \(limit)")
        try await lab.holds(store, lab.answer(size: size), under: AnswerKey("\(number % 60)"))
        if number > 30 { try lab.expect(sum > limit / 2, "only \(sum) bytes are kept of \(limit)") }
      }
    },

    Case("lets go of the least recently used first") { lab in
      let store = try lab.store(limit: 60_000)
      // From the least to the most recently used.
      var order: [String] = []
      for step in 0..<300 {
        let name = "\(step * 7919 % 23)"
        let isKept = step % 3 == 0 ? false : try await store.read(AnswerKey(name)) != nil
        if !isKept { try await store.write(lab.answer(size: 5000), under: AnswerKey(name)) }
        order.removeAll { $0 == name }
        order.append(name)
        let kept = try await lab.names(store)
        try lab.expect(
          kept == Set(order.suffix(kept.count)),
          "\(kept.sorted()) are kept, and last used were \(order.suffix(kept.count))")
        try lab.expect(kept.count >= min(order.count, 6), "only \(kept.count) are kept")
        order.removeAll { !kept.contains($0) }
      }
    },

    Case("does not keep what it has no room for at all, nor what that replaces") { lab in
      let store = try lab.store(limit: 10_000)
      for name in ["a", "b"] { try await store.write(lab.answer(name), under: AnswerKey(name)) }
      try await store.write(lab.answer(size: 10_000), under: AnswerKey("a"))
      try await lab.holds(store, nil, under: AnswerKey("a"))
      try await lab.holds(store, lab.answer("b"), under: AnswerKey("b"))
    },

    Case("keeps nothing if it has no room at all") { lab in
      let store = try lab.store(limit: 0)
      try await store.write(lab.answer("a"), under: AnswerKey("a"))
      try await lab.holds(store, nil, under: AnswerKey("a"))
    },
  ]
}
