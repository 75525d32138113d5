import ErrandCore

/// The record of a course: the ledger, and how long requests wait during a rolling restart.
package final class FleetRecord: Sendable {
  private let ledger: Locked<FleetLedger>
  private let rolling = Locked<RollingRestart?>(nil)
  private let start = ContinuousClock.now

  package init(count: Int) { ledger = Locked(FleetLedger(count: count)) }

  /// The time since the beginning.
  var now: Duration { ContinuousClock.now - start }

  /// The present ledger.
  var snapshot: FleetLedger { ledger.withLock { $0 } }

  var accepted: Int { ledger.withLock { $0.acceptedCount } }
  var delivered: Int { ledger.withLock { $0.delivered } }

  func accept(_ numbers: ArraySlice<Int>) { ledger.withLock { $0.accept(numbers) } }

  /// Records a request at its receiver, now.
  func arrive(_ request: FleetRequest, _ arrival: FleetArrival) {
    var arrival = arrival
    arrival.time = now
    ledger.withLock { [arrival] in $0.arrive(request, arrival) }
    rolling.withLock { $0?.arrive(request.number, at: now) }
  }

  /// Records that a worker, or each worker, is in trouble while something is done.
  func duringTrouble(of worker: Int? = nil, _ work: () async throws -> Void) async rethrows {
    let place = beginTrouble(of: worker)
    try await work()
    ledger.withLock { $0.troubles.end(place, at: now) }
  }

  /// Records that a worker is in trouble from now on.
  @discardableResult
  func beginTrouble(of worker: Int?) -> Int { ledger.withLock { $0.troubles.begin(worker, at: now) } }

  func note(_ violation: String) { ledger.withLock { $0.note(violation) } }

  /// Changes the measurement of the rolling restart; does nothing before that has begun.
  func roll(_ change: (inout RollingRestart) -> Void) {
    rolling.withLock { rolling in
      guard var current = rolling else { return }
      change(&current)
      rolling = current
    }
  }

  func beginRolling() { rolling.withLock { $0 = RollingRestart() } }

  func rollingResult(workers: Int) -> RollingRestart.Result {
    rolling.withLock { $0 ?? RollingRestart() }.result(workers: workers)
  }
}
