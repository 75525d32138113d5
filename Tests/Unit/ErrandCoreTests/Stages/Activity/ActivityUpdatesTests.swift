import ErrandTesting
import Testing

@testable import ErrandCore

@Suite struct ActivityUpdatesTests {
  private typealias Snapshot = RequestActivity.Snapshot

  @Test func `a slow reader gets only the newest snapshot, and none that equals its previous one`() async {
    let activity = RequestActivity(clock: VirtualClock())
    var updates = activity.updates.makeAsyncIterator()
    #expect(await updates.next(isolation: nil) == Snapshot())
    let first = activity.begin()
    _ = activity.begin()
    _ = activity.begin()
    #expect(await updates.next(isolation: nil)?.count == 3)
    activity.end(first)
    _ = activity.begin()
    _ = activity.begin()
    #expect(await updates.next(isolation: nil)?.count == 4)
  }

  @Test func `each of several readers receives every change`() async {
    let activity = RequestActivity(clock: VirtualClock())
    let (seen, tell) = AsyncStream.makeStream(of: Int.self)
    let readers = (0..<5).map { _ in
      Task {
        for await snapshot in activity.updates {
          tell.yield(snapshot.count)
          if snapshot.count == 3 { return }
        }
      }
    }
    var counts = seen.makeAsyncIterator()
    for count in 0...3 {
      for _ in readers { #expect(await counts.next() == count) }
      _ = activity.begin()
    }
    for reader in readers { await reader.value }
  }

  @Test func `cancelling a reader ends its loop, and no other reader's loop`() async {
    let activity = RequestActivity(clock: VirtualClock())
    let (begun, tell) = AsyncStream.makeStream(of: Void.self)
    let reader = Task {
      for await _ in activity.updates { tell.yield() }
    }
    var other = activity.updates.makeAsyncIterator()
    #expect(await other.next(isolation: nil)?.count == 0)
    for await _ in begun { break }
    reader.cancel()
    await reader.value
    _ = activity.begin()
    #expect(await other.next(isolation: nil)?.count == 1)
  }

  @Test func `a reader that is cancelled before it waits does not wait`() async {
    let activity = RequestActivity(clock: VirtualClock())
    let reader = Task {
      withUnsafeCurrentTask { unsafe $0?.cancel() }
      for await _ in activity.updates { Issue.record("it received an update") }
    }
    await reader.value
  }

  @Test func `a reader does not retain the activity, and ends with a hidden snapshot`() async {
    var activity: RequestActivity? = RequestActivity("text", delay: .zero, clock: VirtualClock())
    _ = activity?.begin(text: "other", blocksInput: true)
    var updates = activity?.updates.makeAsyncIterator()
    #expect(
      await updates?.next(isolation: nil)
        == Snapshot(isShown: true, text: "other", blocksInput: true, count: 1))
    let last = Task { [updates] in
      var updates = updates
      return [await updates?.next(isolation: nil), await updates?.next(isolation: nil)]
    }
    await Task.yield()
    activity = nil
    #expect(await last.value == [Snapshot(text: "text"), nil])
  }

  @Test func `a cancellation that races with a change leaves no reader waiting`() async {
    let activity = RequestActivity(clock: VirtualClock())
    for _ in 0..<100 {
      let reader = Task { @concurrent in
        var updates = activity.updates.makeAsyncIterator()
        while await updates.next(isolation: nil) != nil {}
      }
      async let change: Void = { @concurrent () async in activity.end(activity.begin()) }()
      reader.cancel()
      await change
      await reader.value
    }
    #expect(activity.count == 0)
  }
}
