import ErrandCore

/// Leases are renewed in time. A machine that slept may wake when they are over: then nothing is claimed or sent before it
/// is known what is this courier's still; and right before each request is sent, its lease is looked at once more.
extension Courier {
  /// When what is claimed or renewed at this time must be renewed at the latest, in the store's ticks: while a third of its
  /// lease is left.
  func renewalLimit(from time: StoreTime) -> Int64 {
    time.ticks + (configuration.lease * 2 / 3).storedMilliseconds
  }

  func leaseEnd(from time: StoreTime) -> Int64 { time.ticks + configuration.lease.storedMilliseconds }

  func isLate() -> Bool {
    let now = configuration.time().ticks
    return work.withLock { $0.hand.isLate(at: now) }
  }

  /// By a clock that goes on while the machine sleeps.
  func holds(_ lease: Lease) -> Bool {
    let now = configuration.time().ticks
    return work.withLock { $0.hand.holds(lease, at: now) }
  }

  /// Called by the alarm.
  func renewInTime() -> Duration? {
    guard work.withLock({ !$0.hand.isEmpty }) else { return nil }
    Task {
      await desk.noting { try await renew() }
    }
    return timeline.now() + configuration.lease / 3
  }

  func renewIfLate() async throws {
    if isLate() { try await renew() }
  }

  /// Goes on when that is done.
  func renewFirst() {
    Task {
      do {
        try await renewIfLate()
      } catch {
        desk.report(error)
        try? await timeline.sleep(.seconds(1))
      }
      goOn { $0.isRenewing = false }
    }
  }

  private func renew() async throws {
    let leases = work.withLock { $0.hand.leases }
    guard !leases.isEmpty else { return }
    let time = configuration.time()
    let lost = try await desk.store.renew(leases, for: configuration.lease, at: time)
    // Someone else may be sending them.
    let tasks = work.withLock { work in
      let gone = Set(lost)
      work.hand.renewed(
        leases.filter { !gone.contains($0) }, until: leaseEnd(from: time), nextBy: renewalLimit(from: time))
      return work.lose(lost)
    }
    for task in tasks { task.cancel() }
    if !lost.isEmpty { goOn() }
  }
}
