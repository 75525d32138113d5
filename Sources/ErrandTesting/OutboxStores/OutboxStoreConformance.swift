import ErrandCore
public import ErrandOutbox

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The conformance suite for outbox stores. It depends on no test framework; with Swift Testing it is one
/// parameterised test:
///
/// ```swift
/// @Test("conforms", arguments: OutboxStoreConformance.cases)
/// func conforms(_ aCase: OutboxStoreConformance.Case) async throws {
///   try await OutboxStoreConformance { MyPlace() }.run(aCase)
/// }
/// ```
///
/// Case names are stable: a store that cannot meet a requirement can name its case as a known issue.
public struct OutboxStoreConformance: Sendable {
  /// One requirement.
  public struct Case: Sendable, Identifiable, Hashable, CustomStringConvertible {
    /// A sentence about the store.
    public let name: String
    let body: @Sendable (OutboxStoreHarness) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (OutboxStoreHarness) async throws -> Void) {
      self.name = name
      self.body = body
    }

    public var id: String { name }
    public var description: String { name }
    public static func == (left: Case, right: Case) -> Bool { left.name == right.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  /// The clocks of the machine that a case runs on. Only the case moves them.
  public final class Clocks: Sendable {
    struct Time {
      var date = Date(timeIntervalSince1970: 1_700_000_000)
      var uptime = Duration.seconds(1000)
      var starts = 1

      mutating func advance(_ duration: Duration) {
        date += duration.seconds
        uptime += duration
      }
    }

    private let time = Locked(Time())

    /// The wall clock, which a user may set.
    public var date: Date { time.withLock { $0.date } }
    /// The time since the machine was started, sleep included.
    public var uptime: Duration { time.withLock { $0.uptime } }
    /// The number of times that the machine was started.
    public var starts: Int { time.withLock { $0.starts } }

    func move(_ change: (inout Time) -> Void) { time.withLock { change(&$0) } }
  }

  /// A place that several stores share: a folder, a database.
  public protocol Place: Sendable {
    /// Opens a store on the place, as one more owner.
    /// - Parameter clocks: What the store must take for the clocks of its machine.
    func open(_ clocks: Clocks) async throws -> any OutboxStore

    /// Ends a store of `open` as if its process had died: it does not return its claims, and other stores see
    /// that it is gone.
    func abandon(_ store: any OutboxStore) async throws
  }

  /// Every requirement.
  public static let cases: [Case] = [
    adding, caps, claiming, lanes, returningToLanes, leases, finishing, times, byHand, reading, origins,
  ].flatMap { $0 }

  private let makePlace: @Sendable () throws -> any Place

  /// - Parameter makePlace: Makes an empty place that shares nothing with another.
  public init(makePlace: @escaping @Sendable () throws -> any Place) { self.makePlace = makePlace }

  /// Runs one case.
  /// - Throws: A `ConformanceFailure`, or the unexpected error.
  public func run(_ testCase: Case) async throws {
    let harness = OutboxStoreHarness(try makePlace())
    do {
      try await testCase.body(harness)
      try await harness.checkAll()
    } catch {
      await harness.closeAll()
      throw error
    }
    await harness.closeAll()
  }
}
