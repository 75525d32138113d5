import ErrandTesting
import Observation
import Testing

@testable import ErrandCore

@MainActor @Suite struct ActivityObservationTests {
  /// Reads a value after each change, like a view.
  private final class Screen<Value: Sendable> {
    private let look: () -> Value
    private let told: AsyncStream<Void>
    private let tell: AsyncStream<Void>.Continuation
    private(set) var value: Value
    private(set) var tellings = 0

    init(_ look: @escaping () -> Value) {
      self.look = look
      (told, tell) = AsyncStream.makeStream()
      value = withObservationTracking(look) { [tell] in tell.yield() }
    }

    func next() async -> Value {
      for await _ in told { break }
      tellings += 1
      value = withObservationTracking(look) { [tell] in tell.yield() }
      return value
    }
  }

  @Test func `an observer of a property is notified of its changes on the main actor`() async throws {
    let clock = VirtualClock()
    let activity = RequestActivity(clock: clock)
    let screen = Screen { activity.isShown }
    #expect(!screen.value)
    let token = activity.begin()
    try await clock.waitForSleepers()
    await clock.advance(by: .milliseconds(400))
    #expect(await screen.next())
    activity.end(token)
    try await clock.waitForSleepers()
    await clock.advance(by: .milliseconds(500))
    #expect(await !screen.next())
  }

  @Test func `each property notifies its own observers`() async {
    let activity = RequestActivity("own", delay: .zero, minimum: .zero, clock: VirtualClock())
    let text = Screen { activity.text }
    let blocks = Screen { activity.blocksInput }
    let count = Screen { activity.count }
    let fraction = Screen { activity.fraction }
    let token = activity.begin(text: "new", blocksInput: true)
    #expect(await text.next() == "new")
    #expect(await blocks.next())
    #expect(await count.next() == 1)
    var progress = TransferProgress(attempt: 1)
    progress.receivedTotal = 10
    progress.received = 5
    activity.progress(token, progress)
    #expect(await fraction.next() == 0.5)
    #expect(text.tellings == 1 && blocks.tellings == 1 && count.tellings == 1)
    activity.end(token)
    #expect(await fraction.next() == nil)
  }

  @Test func `an observer is notified of changes from any thread, and always of the last one`() async {
    let activity = RequestActivity(delay: .zero, minimum: .zero, clock: VirtualClock())
    let screen = Screen { activity.count }
    for round in 1...100 {
      let work = Task { @concurrent in _ = activity.begin() }
      while screen.value < round { _ = await screen.next() }
      await work.value
    }
    #expect(screen.value == 100)
  }

  @Test func `a change to a property that is not observed notifies no observer`() async {
    let activity = RequestActivity(delay: .zero, minimum: .seconds(1), clock: VirtualClock())
    let screen = Screen { activity.isShown }
    let token = activity.begin(text: "a", blocksInput: true)
    #expect(await screen.next())
    activity.end(token)
    _ = activity.begin(text: "b")
    // Every notification on the main actor has run by the end of this task.
    await Task { @MainActor in }.value
    #expect(screen.tellings == 1)
    #expect(activity.count == 1)
  }
}
