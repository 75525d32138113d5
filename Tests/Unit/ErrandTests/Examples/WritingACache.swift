// swift-format-ignore-file
import Errand
import ErrandConformance
import ErrandTesting
import Foundation
import TestSupport
import Testing

actor SmallCache: ResponseCache {
  private let limit: Int
  private let bytes = Data((0..<32).map { _ in UInt8.random(in: 0...255) })
  private var responses: [CacheKey: CachedResponse] = [:]
  private var order: [CacheKey] = []   // the one that was used last stands last

  init(limit: Int) { self.limit = limit }

  func salt() -> Data { bytes }

  func read(_ key: CacheKey) -> CachedResponse? {
    guard let response = responses[key] else { return nil }
    use(key)
    return response
  }

  func write(_ response: CachedResponse, under key: CacheKey) {
    remove(key)
    guard size(response, key) <= limit else { return }
    responses[key] = response
    use(key)
    while list().reduce(0, { $0 + $1.size }) > limit { remove(order[0]) }
  }

  func remove(_ key: CacheKey) {
    responses[key] = nil
    order.removeAll { $0 == key }
  }

  func list() -> [CacheEntry] {
    responses.map { key, response in
      CacheEntry(
        key: key, status: response.status, url: response.url, date: response.date, size: size(response, key))
    }
  }

  func clear() {
    responses = [:]
    order = []
  }

  private func use(_ key: CacheKey) {
    order.removeAll { $0 == key }
    order.append(key)
  }

  private func size(_ response: CachedResponse, _ key: CacheKey) -> Int {
    let fields = response.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    return response.data.count + fields + response.url.absoluteString.utf8.count + key.name.utf8.count
  }
}

@Suite struct WritingACache {
  @Test(arguments: ResponseCacheConformance.cases)
  func `the small cache conforms`(_ testCase: ResponseCacheConformance.Case) async throws {
    try await ResponseCacheConformance { limit in SmallCache(limit: limit) }.run(testCase)
  }
}
