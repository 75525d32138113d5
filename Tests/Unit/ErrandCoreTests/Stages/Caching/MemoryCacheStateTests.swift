import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore

@Suite struct MemoryCacheStateTests {
  private func response(_ size: Int) -> CachedResponse {
    CachedResponse(
      status: 200, fields: ["a": "b"], data: Data(count: size), url: URL(filePath: "/"), date: Date())
  }

  @Test(arguments: 1...8)
  func `the cache behaves like a list that is searched from end to end`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let limit = Int.random(in: 0...2000, using: &random)
    var state = MemoryCacheState(limit: limit)
    // Ordered from the least to the most recently used.
    var model: [(key: CacheKey, response: CachedResponse)] = []
    for _ in 0..<500 {
      let key = CacheKey("\(Int.random(in: 0..<20, using: &random))")
      let place = model.firstIndex { $0.key == key }
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        let removed = state.remove(key)
        #expect(removed == place.map { model.remove(at: $0).response })
      case 1...4:
        let found = state.read(key)
        #expect(found == place.map { model[$0].response })
        if let place { model.append(model.remove(at: place)) }
      default:
        let new = response(Int.random(in: 0...400, using: &random))
        var gone = place.map { [model.remove(at: $0).response] } ?? []
        if new.size(under: key) <= limit {
          model.append((key, new))
          while model.reduce(0, { $0 + $1.response.size(under: $1.key) }) > limit {
            gone.append(model.removeFirst().response)
          }
        }
        let freed = state.write(new, under: key)
        #expect(freed == gone)
      }
      #expect(state.size == model.reduce(0) { $0 + $1.response.size(under: $1.key) })
      #expect(state.size <= max(limit, 0))
      #expect(state.entries.map(\.key) == model.reversed().map(\.key))
    }
  }

  @Test func `the size includes header fields, URL and key`() {
    let key = CacheKey("name", partition: CachePartition(of: ["Cookie": "a"], salt: Data()))
    let response = CachedResponse(
      status: 200, fields: ["ab": "cde"], data: Data(count: 10), url: URL(filePath: "/"), date: Date())
    #expect(response.size(under: key) == 10 + 5 + response.url.absoluteString.utf8.count + 4 + 64)
  }
}
