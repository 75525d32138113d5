import ErrandCore
public import ErrandOutbox

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The conformance suite for outbox stores. `ConformanceSuite` shows how to run it.
public struct OutboxStoreConformance: ConformanceSuite {
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
    /// False if the stores may be on several machines, whose restarts are not those of what they share. Default:
    /// true.
    var isOneMachine: Bool { get }

    /// Opens a store on the place, as one more owner.
    /// - Parameter clocks: What the store must take for the clocks of its machine.
    func open(_ clocks: Clocks) async throws -> any OutboxStore

    /// Ends a store of `open` as if its process had died: it does not return its claims, and other stores see
    /// that it is gone.
    func abandon(_ store: any OutboxStore) async throws
  }

  /// Every requirement.
  public static let cases: [Case] = [
    adding, replacing, caps, claiming, lanes, returningToLanes, leases, finishing, times, byHand, reading,
    origins,
    handover,
  ].flatMap { $0 }

  private let makePlace: @Sendable () throws -> any Place

  /// - Parameter makePlace: Makes an empty place that shares nothing with another.
  public init(makePlace: @escaping @Sendable () throws -> any Place) { self.makePlace = makePlace }
}

extension OutboxStoreConformance.Place {
  public var isOneMachine: Bool { true }
}

extension OutboxStoreConformance: HarnessedSuite {
  func makeHarness() throws -> OutboxStoreHarness { OutboxStoreHarness(try makePlace()) }
}
