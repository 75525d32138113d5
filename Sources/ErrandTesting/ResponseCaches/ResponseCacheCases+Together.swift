import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ResponseCacheConformance {
  static let together: [Case] = [
    Case("can be used from many tasks at once, and reads are whole") { harness in
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
                  "what was read was never written")
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
