public import ErrandOutbox

/// The suite that every store for an outbox's requests must pass. It belongs to no test framework; with Swift Testing it is
/// one parameterised test:
///
/// ```swift
/// @Test("conforms", arguments: OutboxStoreConformance.cases)
/// func conforms(_ aCase: OutboxStoreConformance.Case) async throws {
///   try await OutboxStoreConformance { MyPlace() }.run(aCase)
/// }
/// ```
///
/// Case names are stable: a store that cannot meet one can name it as a known issue.
public struct OutboxStoreConformance: Sendable {
  /// One requirement.
  public struct Case: Sendable, Identifiable, Hashable, CustomStringConvertible {
    /// A sentence about the store.
    public let name: String
    let body: @Sendable (OutboxStoreLab) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (OutboxStoreLab) async throws -> Void) {
      self.name = name
      self.body = body
    }

    public var id: String { name }
    public var description: String { name }
    public static func == (left: Case, right: Case) -> Bool { left.name == right.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  /// Where stores keep what they share: a folder, a database.
  public protocol Place: Sendable {
    /// Opens a store on it: one more owner of what is kept.
    func open() async throws -> any OutboxStore

    /// Ends a store that `open` gave as if its process had died: it gives nothing back, and others see that it is gone.
    func abandon(_ store: any OutboxStore) async throws
  }

  /// Every requirement.
  public static let cases: [Case] = [
    adding, caps, claiming, lanes, returningToLanes, leases, finishing, times, hand, reading, origins,
  ].flatMap { $0 }

  private let makePlace: @Sendable () throws -> any Place

  /// - Parameter makePlace: Makes an empty place that shares nothing with another.
  public init(makePlace: @escaping @Sendable () throws -> any Place) { self.makePlace = makePlace }

  /// Runs one case.
  /// - Throws: What was wrong, as `ConformanceFailure` or as the error that should not have come.
  public func run(_ testCase: Case) async throws {
    let lab = OutboxStoreLab(try makePlace())
    do {
      try await testCase.body(lab)
      try await lab.checkAll()
    } catch {
      await lab.closeAll()
      throw error
    }
    await lab.closeAll()
  }
}
