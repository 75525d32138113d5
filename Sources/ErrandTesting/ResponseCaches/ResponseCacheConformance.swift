public import ErrandCore

/// The conformance suite for response caches. It depends on no test framework; with Swift Testing it is one
/// parameterised test:
///
/// ```swift
/// @Test("conforms", arguments: ResponseCacheConformance.cases)
/// func conforms(_ aCase: ResponseCacheConformance.Case) async throws {
///   try await ResponseCacheConformance { limit in MyStore(limit: limit) }.run(aCase)
/// }
/// ```
///
/// Case names are stable: a cache that cannot meet a requirement can name its case as a known issue.
public struct ResponseCacheConformance: Sendable {
  /// One requirement.
  public struct Case: Sendable, Identifiable, Hashable, CustomStringConvertible {
    /// A sentence about the cache.
    public let name: String
    let body: @Sendable (ResponseCacheHarness) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (ResponseCacheHarness) async throws -> Void) {
      self.name = name
      self.body = body
    }

    public var id: String { name }
    public var description: String { name }
    public static func == (left: Case, right: Case) -> Bool { left.name == right.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  /// Every requirement.
  public static let cases: [Case] = [caching, room, together].flatMap { $0 }

  private let makeStore: @Sendable (Int) throws -> any ResponseCache

  /// - Parameter makeStore: Makes an empty cache that shares nothing with another, given its limit in bytes.
  public init(makeStore: @escaping @Sendable (_ limit: Int) throws -> any ResponseCache) {
    self.makeStore = makeStore
  }

  /// Runs one case.
  /// - Throws: A `ConformanceFailure`, or the unexpected error.
  public func run(_ testCase: Case) async throws {
    try await testCase.body(ResponseCacheHarness(makeStore: makeStore))
  }
}
