import ErrandTesting
import Observation
import Testing

@testable import ErrandCore

@Suite struct ActivityTests {
  private typealias Snapshot = RequestActivity.Snapshot

  @Test func `an activity is shown after its delay and hidden after its minimum`() async throws {
    let clock = VirtualClock()
    let activity = RequestActivity("Loading", clock: clock)
    var updates = activity.updates.makeAsyncIterator()
    #expect(await updates.next(isolation: nil) == Snapshot(text: "Loading"))
    let token = activity.begin()
    #expect(await updates.next(isolation: nil) == Snapshot(text: "Loading", count: 1))
    try await clock.waitForSleepers()
    #expect(clock.ends.map(\.offset) == [.milliseconds(400)])
    await clock.advance(by: .milliseconds(400))
    #expect(await updates.next(isolation: nil) == Snapshot(isShown: true, text: "Loading", count: 1))
    activity.end(token)
    #expect(await updates.next(isolation: nil) == Snapshot(isShown: true, text: "Loading"))
    try await clock.waitForSleepers()
    #expect(clock.ends.map(\.offset) == [.milliseconds(900)])
    await clock.advance(by: .milliseconds(500))
    #expect(await updates.next(isolation: nil) == Snapshot(text: "Loading"))
    #expect(clock.sleepers == 0)
  }

  @Test func `a burst of short requests causes one sleep`() async throws {
    let clock = VirtualClock()
    let activity = RequestActivity(clock: clock)
    activity.end(activity.begin())
    try await clock.waitForSleepers()
    for _ in 0..<1000 { activity.end(activity.begin()) }
    #expect(clock.sleepers == 1)
    #expect(activity.count == 0 && !activity.isShown)
  }

  @Test func `the properties of an activity summarize its requests`() {
    let activity = RequestActivity("Working", delay: .zero, clock: VirtualClock())
    let token = activity.begin(text: "Saving", blocksInput: true)
    var progress = TransferProgress(attempt: 1)
    progress.received = 1
    progress.receivedTotal = 4
    activity.progress(token, progress)
    #expect(activity.isShown && activity.blocksInput)
    #expect(activity.text == "Saving" && activity.fraction == 0.25 && activity.count == 1)
    activity.end(token)
    #expect(activity.isShown && !activity.blocksInput)
    #expect(activity.text == "Saving" && activity.fraction == 0.25 && activity.count == 0)
  }

  @Test func `requests on many threads leave nothing behind`() async throws {
    let clock = VirtualClock()
    let activity = RequestActivity("own", clock: clock)
    await withTaskGroup { group in
      for index in 0..<4 {
        group.addTask { @concurrent in
          for round in 0..<500 {
            let token = activity.begin(text: round % 3 == 0 ? "\(index)" : nil, blocksInput: round % 5 == 0)
            var progress = TransferProgress(attempt: 1)
            progress.receivedTotal = 10
            progress.received = Int64(round % 10)
            activity.progress(token, progress)
            activity.end(token)
          }
        }
      }
      group.addTask { @concurrent in
        for _ in 0..<1000 { await clock.advance(by: .milliseconds(1)) }
      }
    }
    var updates = activity.updates.makeAsyncIterator()
    while let snapshot = await updates.next(isolation: nil), snapshot.isShown {
      try await clock.waitForSleepers()
      await clock.advanceToNext()
    }
    #expect(activity.count == 0 && !activity.blocksInput && activity.text == "own")
  }

  @Test func `two uses are equal only if they have the same activity object`() {
    let (one, other) = (RequestActivity("a"), RequestActivity("a"))
    #expect(ActivityUse(one, text: "x") == ActivityUse(one, text: "x"))
    #expect(ActivityUse(one) != ActivityUse(other))
    #expect(ActivityUse(one) != ActivityUse(one, blocksInput: true))
    #expect(Set([ActivityUse(one), ActivityUse(one), ActivityUse(other)]).count == 2)
  }
}
