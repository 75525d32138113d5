import ErrandCore

/// The dispatcher renews its leases before they end. If the machine slept, it may wake after their end. The
/// dispatcher then renews them before it claims or sends anything, and checks each lease again right before
/// it sends the request.
extension Dispatcher {
  /// The time, in milliseconds, of the clock by which leases end. The clock runs while the machine sleeps.
  var ticks: Int64 { Int64(timeline.now().wholeMilliseconds) }

  /// Returns the ticks at which leases that began at `time` must be renewed: when a third of the lease is left.
  func renewalLimit(from time: Int64) -> Int64 {
    time + (configuration.lease * 2 / 3).storedMilliseconds
  }

  /// Returns the ticks until which leases certainly last if the store was asked for them at `time` or later.
  /// The store may round its time down by up to a millisecond.
  func leaseEnd(from time: Int64) -> Int64 { time + configuration.lease.storedMilliseconds - 1 }

  func isLate() -> Bool {
    let now = ticks
    return state.withLock { $0.inFlight.isLate(at: now) }
  }

  /// True if this dispatcher still has the lease, by a clock that runs while the machine sleeps.
  func holds(_ lease: Lease) -> Bool {
    let now = ticks
    return state.withLock { $0.inFlight.holds(lease, at: now) }
  }

  /// Renews the leases, if there are any. The deadline timer calls it.
  /// - Returns: When to call it again; nil if no row is in flight.
  func renewInTime() -> Duration? {
    guard state.withLock({ !$0.inFlight.isEmpty }) else { return nil }
    Task {
      await configuration.reportingFailure { try await renew() }
    }
    return timeline.now() + configuration.lease / 3
  }

  func renewIfLate() async throws {
    if isLate() { try await renew() }
  }

  /// Renews the leases if they are late, and then resumes sending.
  func renewFirst() {
    Task {
      do {
        try await renewIfLate()
      } catch {
        configuration.report(error)
        try? await timeline.sleep(.seconds(1))
      }
      proceed { $0.isRenewing = false }
    }
  }

  /// Cancels the attempts whose leases were ended by another owner or an operator, without waiting for the
  /// next renewal.
  func dropLostRows() async {
    await configuration.reportingFailure { try await renew() }
  }

  private func renew() async throws {
    let leases = state.withLock { $0.inFlight.leases }
    guard !leases.isEmpty else { return }
    let time = ticks
    let lost = try await store.renew(leases, for: configuration.lease)
    // Other owners may be sending the rows of lost leases.
    let tasks = state.withLock {
      $0.renewed(leases, losing: lost, until: leaseEnd(from: time), nextBy: renewalLimit(from: time))
    }
    for task in tasks { task.cancel() }
    if !lost.isEmpty { proceed() }
  }
}
