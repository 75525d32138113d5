import ErrandCore
package import ErrandOutbox

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The conformance suite for outbox stores. `ConformanceSuite` shows how to run it.
package struct OutboxStoreConformance: ConformanceSuite {
  /// The clocks of a simulated machine, which advance only when a case advances them.
  package final class Clocks: Sendable {
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

    /// The date of the wall clock, which a user may set.
    package var date: Date { time.withLock { $0.date } }
    /// The time since the start of the machine, including sleep.
    package var uptime: Duration { time.withLock { $0.uptime } }
    /// The number of starts of the machine, which identifies the current one.
    package var starts: Int { time.withLock { $0.starts } }

    func move(_ change: (inout Time) -> Void) { time.withLock { change(&$0) } }
  }

  /// A place that several stores share, such as a folder or a database.
  package protocol Place: Sendable {
    /// False if the stores may be on several machines, so that cases about a restart of the machine are skipped.
    /// Default: true.
    var isOneMachine: Bool { get }

    /// Opens another store on the place, with a new owner.
    /// - Parameter clocks: The clocks that the store must use instead of the machine's.
    func open(_ clocks: Clocks) async throws -> any OutboxStore

    /// Ends a store that `open` returned, as if its process had died. The store does not return its claims, and
    /// other stores notice that its owner is dead.
    func abandon(_ store: any OutboxStore) async throws
  }

  /// The cases of the suite, one for each requirement.
  package static let cases: [Case] = [
    adding, replacing, caps, claiming, lanes, returningToLanes, leases, finishing, times, byHand, reading,
    origins, uploads, rates,
    handover,
  ].flatMap { $0 }

  private let makePlace: @Sendable () throws -> any Place

  /// Creates the suite.
  /// - Parameter makePlace: Returns an empty place that is independent of all others. Called for each case.
  package init(makePlace: @escaping @Sendable () throws -> any Place) { self.makePlace = makePlace }
}

extension OutboxStoreConformance.Place {
  /// True by default.
  package var isOneMachine: Bool { true }
}

extension OutboxStoreConformance: HarnessedSuite {
  func makeHarness() throws -> OutboxStoreHarness { OutboxStoreHarness(try makePlace()) }
}
