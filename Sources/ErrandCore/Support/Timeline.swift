/// A clock with its type erased: instants are durations since the timeline was made.
package struct Timeline: Sendable {
  package let now: @Sendable () -> Duration
  package let sleep: @Sendable (Duration) async throws -> Void

  package init(_ clock: any Clock<Duration>) {
    self = Timeline.over(clock)
  }

  private init(
    now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  private static func over<C: Clock>(_ clock: C) -> Timeline where C.Duration == Duration {
    let start = clock.now
    return Timeline(
      now: { start.duration(to: clock.now) },
      sleep: { wait in
        // Instants have an end, and adding to them past it would trap.
        try await clock.sleep(until: clock.now.advanced(by: min(wait, .longest)), tolerance: nil)
      })
  }
}
