import Errand
import ErrandTesting
import Foundation

extension TourStep {
  static let indicator = TourStep("A loading indicator appears late, stays long enough, and never blinks") {
    stage in
    let clock = VirtualClock()
    let client = TourStage.makeClient { $0.clock = clock }
    stage.client("each mark is 0.1 s: . shows nothing, # shows the indicator")

    stage.server.on("GET", "/quick") { _ in .response() }
    var film = ActivityFilm(clock)
    try await client.send(.get(stage.server.url("/quick")).activity(film.activity))
    // Otherwise its deadline timer, which starts late, could be mistaken for that of the next activity.
    try await clock.waitForSleepers()
    await film.shoot(6)
    stage.client("response at once:              \(film.frames)")
    stage.promise("a quick response shows no indicator", film.frames == "......")

    let gate = TourGate()
    stage.server.on("GET", "/slow") { _ in
      gate.pass()
      return .response()
    }
    film = ActivityFilm(clock)
    let slow = client.start(.get(stage.server.url("/slow")).activity(film.activity))
    try await film.shootUntilShown()
    await film.shoot(2)
    gate.open()
    _ = try await slow.value
    try await clock.waitForSleepers()
    await film.shoot(3)
    await film.waitUntil(isShown: false)
    await film.shoot(1)
    stage.client("response after 0.6 s:          \(film.frames)")
    stage.promise("the indicator appears after 0.4 s and stays for 0.5 s", film.frames == "....#####.")

    let again = TourGate()
    stage.server.on("GET", "/busy") { request in
      again.pass()
      return request.index == 2 ? .response(status: 503, fields: ["Retry-After": "1"]) : .response()
    }
    film = ActivityFilm(clock)
    let busy = client.start(.get(stage.server.url("/busy")).activity(film.activity))
    try await film.shootUntilShown()
    await film.shoot(1)
    again.open()
    // The request sleeps until its second attempt.
    try await clock.waitForSleepers()
    await film.shoot(10)
    _ = try await busy.value
    await film.shoot(1)
    stage.client("503 after 0.5 s, then a retry: \(film.frames)")
    stage.promise("the indicator does not blink during a retry", film.frames == "....###########.")
    stage.server("\(stage.server.requests.map(\.path).joined(separator: ", "))")
  }
}

/// Samples an activity every 0.1 s of a virtual clock.
struct ActivityFilm {
  let activity: RequestActivity
  /// One character for each sample: `#` if the activity was shown, else `.`.
  private(set) var frames = ""
  private let clock: VirtualClock

  init(_ clock: VirtualClock) {
    self.clock = clock
    activity = RequestActivity("Loading", clock: clock)
  }

  /// Takes `count` samples and advances the clock by 0.1 s after each.
  mutating func shoot(_ count: Int) async {
    for _ in 0..<count {
      frames += activity.isShown ? "#" : "."
      await clock.advance(by: .milliseconds(100))
    }
  }

  /// Takes samples during the delay of 0.4 s, and returns once the activity is shown.
  mutating func shootUntilShown() async throws {
    try await clock.waitForSleepers()
    await shoot(4)
    await waitUntil(isShown: true)
  }

  /// Waits until the activity's task has noticed the advanced clock.
  func waitUntil(isShown: Bool) async {
    for await now in activity.updates where now.isShown == isShown { return }
  }
}
