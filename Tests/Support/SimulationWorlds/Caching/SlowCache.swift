import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A store of responses whose operations take time, like those of a store on a disk.
final class SlowCache: ResponseCache {
  /// The longest time of an operation. All operations of one call together must be shorter than the time for which
  /// an interceptor may hold a stream with its slot.
  static let longest = Duration.milliseconds(16)

  private let store: any ResponseCache
  private let clock: VirtualClock
  private let random: Locked<SeededRandom>

  init(_ store: any ResponseCache, clock: VirtualClock, random: SeededRandom) {
    self.store = store
    self.clock = clock
    self.random = Locked(random)
  }

  /// Lets other tasks run before and after an operation, and sometimes time pass.
  private func slowly<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
    try await pause()
    let value = try await work()
    try await pause()
    return value
  }

  private func pause() async throws {
    let pause = random.withLock { $0.once(in: 4) ? $0.milliseconds(1...8) : nil }
    if let pause { try await clock.sleep(for: pause) } else { await Task.yield() }
  }

  func salt() async throws -> Data { try await slowly { try await store.salt() } }
  func read(_ key: CacheKey) async throws -> CachedResponse? {
    try await slowly { try await store.read(key) }
  }
  func readVariants(of key: CacheKey) async throws -> [CachedResponse?] {
    try await slowly { try await store.readVariants(of: key) }
  }
  func write(_ response: CachedResponse, under key: CacheKey) async throws {
    try await slowly { try await store.write(response, under: key) }
  }
  func remove(_ key: CacheKey) async throws { try await slowly { try await store.remove(key) } }
  func list() async throws -> [CacheEntry] { try await slowly { try await store.list() } }
  func clear() async throws { try await slowly { try await store.clear() } }
}
