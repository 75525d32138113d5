import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ResponseCacheConformance {
  static let room: [Case] = [
    Case("never keeps more than its limit") { harness in
      let limit = 60_000
      let store = try harness.store(limit: limit)
      for number in 0..<200 {
        let size = number * 7919 % 9000
        try await store.write(harness.response(size: size), under: CacheKey("\(number % 60)"))
        let sizes = try await store.list().map(\.size)
        let sum = sizes.reduce(0, +)
        try harness.expect(sum <= limit, "\(sum) bytes are kept, and the limit is \(limit)")
        try await harness.holds(store, harness.response(size: size), under: CacheKey("\(number % 60)"))
        if number > 30 { try harness.expect(sum > limit / 2, "only \(sum) bytes are kept of \(limit)") }
      }
    },

    Case("removes responses first that have not been read for the longest time") { harness in
      let store = try harness.store(limit: 60_000)
      let names = (0..<14).map { "\($0)" }
      func write(_ name: String) async throws {
        try await store.write(harness.response(size: 5000), under: CacheKey(name))
      }
      for name in names.prefix(8) { try await write(name) }
      // Read, so that the others go first, whether a store counts writes as uses or not.
      let read = Set(names.prefix(8).filter { Int($0)?.isMultiple(of: 2) == true })
      for name in read { _ = try await store.read(CacheKey(name)) }
      var gone: [String] = []
      for name in names.dropFirst(8) {
        try await write(name)
        let kept = try await harness.names(store)
        try harness.expect(kept.contains(name), "\(name) was just written, and is not kept")
        gone = names.prefix { $0 != name }.filter { !kept.contains($0) }
        if gone.count > 4 { break }
        try harness.expect(
          kept.isSuperset(of: read), "\(gone) are gone, and \(read.sorted()) were read later")
        try harness.expect(gone == Array(["1", "3", "5", "7"].prefix(gone.count)), "\(gone) are gone")
      }
      try harness.expect(!gone.isEmpty, "nothing was removed")
    },

    Case("does not keep a response over its limit, or the one that it would replace") { harness in
      let store = try harness.store(limit: 10_000)
      for name in ["a", "b"] { try await store.write(harness.response(name), under: CacheKey(name)) }
      try await store.write(harness.response(size: 10_000), under: CacheKey("a"))
      try await harness.holds(store, nil, under: CacheKey("a"))
      try await harness.holds(store, harness.response("b"), under: CacheKey("b"))
    },

    Case("keeps nothing if its limit is zero") { harness in
      let store = try harness.store(limit: 0)
      try await store.write(harness.response("a"), under: CacheKey("a"))
      try await harness.holds(store, nil, under: CacheKey("a"))
    },
  ]
}

extension ResponseCacheConformance {
  static let together: [Case] = [
    Case("can be used from many tasks at once, and returns complete responses") { harness in
      let limit = 200_000
      let store = try harness.store(limit: limit)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for worker in 0..<8 {
          group.addTask {
            for step in 0..<60 {
              let number = (worker * 61 + step * 17) % 10
              let key = CacheKey("\(number)")
              switch (worker + step) % 8 {
              case 0: try await store.remove(key)
              case 1: _ = try await store.list()
              case 2 where step == 30: try await store.clear()
              case 3, 4, 5:
                let text = String(repeating: "\(number) \(worker) \(step)\n", count: 500 + step * 20)
                try await store.write(harness.response(text), under: key)
              default:
                guard let response = try await store.read(key) else { continue }
                let line = String(decoding: response.data.prefix { $0 != 10 }, as: UTF8.self) + "\n"
                let count = response.data.count / line.utf8.count
                try harness.expect(
                  response.data == Data(String(repeating: line, count: count).utf8)
                    && line.hasPrefix("\(number) "),
                  "a read response was never written")
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let sum = try await store.list().reduce(0) { $0 + $1.size }
      try harness.expect(sum <= limit, "\(sum) bytes are kept, and the limit is \(limit)")
    }
  ]
}
