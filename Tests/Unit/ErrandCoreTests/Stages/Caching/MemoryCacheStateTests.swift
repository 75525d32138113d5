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
  func `the cache behaves like two lists that are searched from end to end`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let limit = Int.random(in: 0...2000, using: &random)
    var state = MemoryCacheState(limit: limit)
    // Ordered from the first to the last to be evicted: those that were not read, and then those that were.
    var model: [(key: CacheKey, response: CachedResponse)] = []
    var unread = 0
    func size(_ entries: some Sequence<(key: CacheKey, response: CachedResponse)>) -> Int {
      entries.reduce(0) { $0 + $1.response.size(under: $1.key) }
    }
    func remove(_ place: Int) -> (key: CacheKey, response: CachedResponse) {
      if place < unread { unread -= 1 }
      return model.remove(at: place)
    }
    for _ in 0..<500 {
      let key = CacheKey("\(Int.random(in: 0..<20, using: &random))")
      let place = model.firstIndex { $0.key == key }
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        let removed = state.remove(key)
        #expect(removed == place.map { remove($0).response })
      case 1...4:
        let found = state.read(key)
        #expect(found == place.map { model[$0].response })
        if let place {
          model.append(remove(place))
          while size(model[unread...]) > limit / 5 * 4, model.count - unread > 1 { unread += 1 }
        }
      default:
        let new = response(Int.random(in: 0...400, using: &random))
        let isRead = place.map { $0 >= unread } ?? false
        var gone = place.map { [remove($0).response] } ?? []
        if new.size(under: key) <= limit {
          while size(model) + new.size(under: key) > limit { gone.append(remove(0).response) }
          model.insert((key, new), at: isRead ? model.count : unread)
          if !isRead { unread += 1 }
        }
        let freed = state.write(new, under: key)
        #expect(freed == gone)
      }
      #expect(state.size == size(model))
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
