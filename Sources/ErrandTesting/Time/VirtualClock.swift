import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A clock whose time moves only when a test advances it. Pass it to `ClientConfiguration.clock` or to a
/// `StubTransport`, so that a test of an hour takes no time.
///
/// ```swift
/// let clock = VirtualClock()
/// let retrying = Task { try await client.send(request) }
/// try await clock.waitForSleepers(1)  // the wait before the second attempt has begun
/// clock.advance(by: .seconds(1))
/// ```
public final class VirtualClock: Clock {
  /// An instant of the clock.
  public struct Instant: InstantProtocol {
    /// The time since the clock was created.
    public let offset: Duration

    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    let id: Int
    let end: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct Watcher {
    let count: Int
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var sleepers: [Sleeper] = []
    var watchers: [Int: Watcher] = [:]
    var cancelled: Set<Int> = []
    var lastID = 0
    var runs = 0

    mutating func nextID() -> Int {
      lastID += 1
      return lastID
    }

    /// Removes the first sleeper whose end is not after `limit`, and moves the time to that end.
    mutating func wakeNext(by limit: Instant) -> Sleeper? {
      let first = sleepers.indices.min {
        (sleepers[$0].end, sleepers[$0].id) < (sleepers[$1].end, sleepers[$1].id)
      }
      guard let first, sleepers[first].end <= limit else { return nil }
      now = max(now, sleepers[first].end)
      return sleepers.remove(at: first)
    }
  }

  private let state = Locked(State())

  /// Creates a clock whose time is zero.
  public init() {}

  /// The current instant, which only `advance(by:)`, `advanceToNext()` and `run(_:)` change.
  public var now: Instant { state.withLock { $0.now } }
  /// Zero, because the clock measures every duration exactly.
  public var minimumResolution: Duration { .zero }

  /// The number of sleeping tasks.
  public var sleepers: Int { state.withLock { $0.sleepers.count } }

  /// The ends of all sleeps, earliest first.
  public var ends: [Instant] { state.withLock { $0.sleepers.map(\.end).sorted() } }

  /// Waits until the clock has reached `deadline`.
  /// - Throws: `CancellationError` if the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let id = state.withLock { $0.nextID() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        enum Step {
          case sleep, wake, cancel
        }
        let (step, isRunning) = state.withLock { state -> (Step, Bool) in
          if state.cancelled.remove(id) != nil { return (.cancel, false) }
          guard deadline > state.now else { return (.wake, false) }
          state.sleepers.append(Sleeper(id: id, end: deadline, continuation: continuation))
          return (.sleep, state.runs > 0)
        }
        switch step {
        case .wake: continuation.resume()
        case .cancel: continuation.resume(throwing: CancellationError())
        case .sleep:
          tellWatchers()
          if isRunning { wakeAll(by: deadline) }
        }
      }
    } onCancel: {
      let sleeper: Sleeper? = state.withLock { state in
        if let index = state.sleepers.firstIndex(where: { $0.id == id }) {
          return state.sleepers.remove(at: index)
        }
        state.cancelled.insert(id)
        return nil
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
    // A cancellation that came too late for this sleep must not stay stored.
    state.withLock { _ = $0.cancelled.remove(id) }
  }

  /// Advances the time. Tasks whose sleeps end meanwhile are woken in the order of these ends, and each sees
  /// the end of its sleep as the current time.
  public func advance(by duration: Duration) {
    let end = state.withLock { $0.now.advanced(by: duration) }
    wakeAll(by: end)
    state.withLock { $0.now = max($0.now, end) }
  }

  /// Advances the time to the end of the earliest sleep.
  /// - Returns: False if no task sleeps.
  @discardableResult
  public func advanceToNext() -> Bool {
    guard let end = ends.first else { return false }
    wakeAll(by: end)
    return true
  }

  /// Runs `work` without waiting: each sleep ends at once and advances the time to its end. Use it for work in
  /// which only one task sleeps at a time, because a deadline that sleeps beside it would pass at once.
  public func run<Result>(_ work: () async throws -> Result) async rethrows -> Result {
    state.withLock { $0.runs += 1 }
    defer { state.withLock { $0.runs -= 1 } }
    while advanceToNext() {}
    return try await work()
  }

  /// Waits until at least `count` tasks sleep.
  /// - Parameter count: The number of tasks. Default: 1.
  /// - Throws: `CancellationError` if the task is cancelled.
  public func waitForSleepers(_ count: Int = 1) async throws {
    let id = state.withLock { $0.nextID() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = state.withLock { state in
          if state.cancelled.remove(id) != nil { return true }
          state.watchers[id] = Watcher(count: count, continuation: continuation)
          return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) } else { tellWatchers() }
      }
    } onCancel: {
      let watcher: Watcher? = state.withLock { state in
        if let watcher = state.watchers.removeValue(forKey: id) { return watcher }
        state.cancelled.insert(id)
        return nil
      }
      watcher?.continuation.resume(throwing: CancellationError())
    }
    state.withLock { _ = $0.cancelled.remove(id) }
  }

  private func wakeAll(by end: Instant) {
    while let sleeper = state.withLock({ $0.wakeNext(by: end) }) { sleeper.continuation.resume() }
  }

  private func tellWatchers() {
    let told = state.withLock { state in
      let ready = state.watchers.filter { $0.value.count <= state.sleepers.count }
      for id in ready.keys { state.watchers[id] = nil }
      return ready.values.map(\.continuation)
    }
    for continuation in told { continuation.resume() }
  }
}

extension VirtualClock {
  /// Returns a wall clock that advances with this clock, for `ClientConfiguration.date`.
  /// - Parameter start: The date at the clock's time zero.
  public func date(startingAt start: Date) -> @Sendable () -> Date {
    { [self] in
      let (seconds, attoseconds) = now.offset.components
      return start.addingTimeInterval(Double(seconds) + Double(attoseconds) * 1e-18)
    }
  }
}
