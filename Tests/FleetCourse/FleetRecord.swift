import ErrandCore

/// What happens in a course: the ledger, and how long requests wait during a rolling restart.
package final class FleetRecord: Sendable {
  private let ledger: Locked<FleetLedger>
  private let rolling = Locked<RollingRestart?>(nil)
  private let start = ContinuousClock.now

  package init(count: Int) { ledger = Locked(FleetLedger(count: count)) }

  /// The time since the beginning.
  var now: Duration { ContinuousClock.now - start }

  /// The ledger as it is now.
  var snapshot: FleetLedger { ledger.withLock { $0 } }

  var accepted: Int { ledger.withLock { $0.acceptedCount } }
  var delivered: Int { ledger.withLock { $0.delivered } }

  func accept(_ numbers: ArraySlice<Int>) { ledger.withLock { $0.accept(numbers) } }

  func arrive(_ request: FleetRequest, key: String?, isWhole: Bool, isTaken: Bool) {
    ledger.withLock { $0.arrive(request, key: key, isWhole: isWhole, isTaken: isTaken) }
    rolling.withLock { $0?.arrive(request.number, at: now) }
  }

  func note(_ violation: String) { ledger.withLock { $0.note(violation) } }

  /// Changes the measurement of the rolling restart; does nothing before it has begun.
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
