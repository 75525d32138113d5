import ErrandCore
import ErrandTesting

/// Looks at an activity ten times a second, by a clock that is moved by hand.
struct ActivityFilm {
  let activity: Activity
  /// What was seen.
  private(set) var frames = ""
  private let clock: VirtualClock

  init(_ clock: VirtualClock) {
    self.clock = clock
    activity = Activity("Loading", clock: clock)
  }

  /// Looks so many times, and moves the clock behind each.
  mutating func shoot(_ count: Int) {
    for _ in 0..<count {
      frames += activity.isShown ? "#" : "."
      clock.advance(by: .milliseconds(100))
    }
  }

  /// Looks through the whole delay, and returns when it is over and the activity is shown.
  mutating func shootUntilShown() async throws {
    try await clock.waitForSleepers()
    shoot(4)
    await waitUntil(isShown: true)
  }

  /// The clock has moved there; the activity's own task may not have heard of it yet.
  func waitUntil(isShown: Bool) async {
    for await now in activity.updates where now.isShown == isShown { return }
  }
}
