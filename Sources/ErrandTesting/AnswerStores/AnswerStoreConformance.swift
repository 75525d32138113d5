public import ErrandCore

/// The suite that every store for kept answers must pass. It belongs to no test framework; with Swift Testing it is one
/// parameterised test:
///
/// ```swift
/// @Test("conforms", arguments: AnswerStoreConformance.cases)
/// func conforms(_ aCase: AnswerStoreConformance.Case) async throws {
///   try await AnswerStoreConformance { limit in MyStore(limit: limit) }.run(aCase)
/// }
/// ```
///
/// Case names are stable: a store that cannot meet one can name it as a known issue.
public struct AnswerStoreConformance: Sendable {
  /// One requirement.
  public struct Case: Sendable, Identifiable, Hashable, CustomStringConvertible {
    /// A sentence about the store.
    public let name: String
    let body: @Sendable (AnswerStoreLab) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (AnswerStoreLab) async throws -> Void) {
      self.name = name
      self.body = body
    }

    public var id: String { name }
    public var description: String { name }
    public static func == (left: Case, right: Case) -> Bool { left.name == right.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  /// Every requirement.
  public static let cases: [Case] = [keeping, room, together].flatMap { $0 }

  private let makeStore: @Sendable (Int) throws -> any AnswerStore

  /// - Parameter makeStore: Makes an empty store that shares nothing with another, given its limit in bytes.
  public init(makeStore: @escaping @Sendable (_ limit: Int) throws -> any AnswerStore) {
    self.makeStore = makeStore
  }

  /// Runs one case.
  /// - Throws: What was wrong, as `ConformanceFailure` or as the error that should not have come.
  public func run(_ testCase: Case) async throws {
    try await testCase.body(AnswerStoreLab(makeStore: makeStore))
  }
}
