import ErrandCore
import ErrandTesting

/// Samples an activity every 0.1 s of a virtual clock.
struct ActivityFilm {
  let activity: Activity
  /// One character for each sample: `#` if the activity was shown, else `.`.
  private(set) var frames = ""
  private let clock: VirtualClock

  init(_ clock: VirtualClock) {
    self.clock = clock
    activity = Activity("Loading", clock: clock)
  }

  /// Takes so many samples, and advances the clock after each.
  mutating func shoot(_ count: Int) {
    for _ in 0..<count {
      frames += activity.isShown ? "#" : "."
      clock.advance(by: .milliseconds(100))
    }
  }

  /// Samples the whole delay, and returns once the activity is shown.
  mutating func shootUntilShown() async throws {
    try await clock.waitForSleepers()
    shoot(4)
    await waitUntil(isShown: true)
  }

  /// Waits for the activity's own task, which may not have seen yet that the clock has advanced.
  func waitUntil(isShown: Bool) async {
    for await now in activity.updates where now.isShown == isShown { return }
  }
}
