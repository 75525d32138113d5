public import ErrandCore

/// The conformance suite for response caches. `ConformanceSuite` shows how to run it.
public struct ResponseCacheConformance: ConformanceSuite {
  /// Every requirement.
  public static let cases: [Case] = [caching, room, together].flatMap { $0 }

  private let makeStore: @Sendable (Int) throws -> any ResponseCache

  /// - Parameter makeStore: Makes an empty cache that shares nothing with another, given its limit in bytes.
  public init(makeStore: @escaping @Sendable (_ limit: Int) throws -> any ResponseCache) {
    self.makeStore = makeStore
  }
}

extension ResponseCacheConformance: HarnessedSuite {
  func makeHarness() -> ResponseCacheHarness { ResponseCacheHarness(makeStore: makeStore) }
}
