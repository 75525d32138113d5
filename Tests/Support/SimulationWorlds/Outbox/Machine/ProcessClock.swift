import ErrandTesting

/// The clock of a process: a frozen process is not woken.
struct ProcessClock: Clock {
  typealias Instant = VirtualClock.Instant

  let clock: VirtualClock
  let process: SimulatedProcess

  var now: Instant { clock.now }
  var minimumResolution: Duration { clock.minimumResolution }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try await clock.sleep(until: deadline, tolerance: tolerance)
    try await process.run()
  }
}
