public import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The conformance suite for response caches. `ConformanceSuite` shows how to run it.
public struct ResponseCacheConformance: ConformanceSuite {
  /// The cases of the suite, one for each requirement.
  public static let cases: [Case] = [caching, room, together, variants, httpCaching].flatMap { $0 }

  private let makeStore: @Sendable (Int) throws -> any ResponseCache

  /// Creates the suite.
  /// - Parameter makeStore: Returns an empty cache that is independent of all others, with a limit in bytes.
  public init(makeStore: @escaping @Sendable (_ limit: Int) throws -> any ResponseCache) {
    self.makeStore = makeStore
  }
}

extension ResponseCacheConformance: HarnessedSuite {
  func makeHarness() -> ResponseCacheHarness { ResponseCacheHarness(makeStore: makeStore) }
}

/// The harness of one case, which creates caches and checks them.
struct ResponseCacheHarness: ConformanceHarness {
  let makeStore: @Sendable (Int) throws -> any ResponseCache

  /// Returns a new cache, by default with more capacity than a case needs.
  func store(limit: Int = 50_000_000) throws -> any ResponseCache { try makeStore(limit) }

  func response(_ text: String = "", size: Int? = nil) -> CachedResponse {
    CachedResponse(
      status: 200, fields: ["Content-Type": "text/plain"],
      data: size.map { Data(repeating: UInt8(truncatingIfNeeded: $0), count: $0) } ?? Data(text.utf8),
      url: url("https://example.com/"),
      date: Date(timeIntervalSinceReferenceDate: 800_000_000.123456))
  }

  func url(_ text: String) -> URL { URL(string: text) ?? URL(filePath: "/") }

  func holds(_ store: any ResponseCache, _ response: CachedResponse?, under key: CacheKey) async throws {
    let found = try await store.read(key)
    try expect(
      found == response,
      "the response under \(key.name.prefix(80).debugDescription) is \(short(found)), expected \(short(response))"
    )
  }

  /// Returns the names of the cached responses.
  func names(_ store: any ResponseCache) async throws -> Set<String> {
    Set(try await store.list().map(\.key.name))
  }

  private func short(_ response: CachedResponse?) -> String {
    guard let response else { return "nothing" }
    return
      "\(response.status) with \(response.fields.count) fields and \(response.data.count) bytes beginning with "
      + "\([UInt8](response.data.prefix(16))), from \(response.url), cached at \(response.date.timeIntervalSince1970)"
  }
}
