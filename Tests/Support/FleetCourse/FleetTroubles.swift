/// The times of troubles after which workers may send a request twice. Pure.
///
/// A worker that is killed, frozen or cut off, and any worker without its database, may be unable to record
/// that a request was delivered. Nothing else is a reason: not a clock that is set, for example.
package struct FleetTroubles: Sendable {
  private struct Trouble: Sendable {
    /// The number of the worker's process; nil for all workers.
    var worker: Int?
    var begin: Duration
    /// Nil while it lasts, and for a worker that was killed.
    var end: Duration?
  }

  private var troubles: [Trouble] = []

  package init() {}

  /// Records that a trouble begins.
  /// - Parameter worker: The number of the worker's process; nil for all workers.
  /// - Returns: Its place, for `end`.
  package mutating func begin(_ worker: Int?, at now: Duration) -> Int {
    troubles.append(Trouble(worker: worker, begin: now))
    return troubles.count - 1
  }

  package mutating func end(_ place: Int, at now: Duration) { troubles[place].end = now }

  /// Returns whether one of these workers was in trouble between two times.
  package func explain(_ workers: Set<Int>, from first: Duration, to last: Duration) -> Bool {
    troubles.contains { trouble in
      trouble.begin <= last && trouble.end ?? last >= first
        && trouble.worker.map(workers.contains) ?? true
    }
  }
}
