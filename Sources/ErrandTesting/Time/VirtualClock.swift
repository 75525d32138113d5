import Dispatch
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
/// try await clock.waitForSleepers()  // the call's time-out, or a wait between its attempts, has begun
/// await clock.advance(by: .seconds(1))
/// ```
///
/// ## Work that is due comes first
///
/// `advance(by:)`, `advanceToNext()` and `run(_:)` move the time only when the clock's users are idle, so the order of
/// events is that of real time. The clock counts the pending jobs of Swift concurrency that belong to its users:
///
/// - each task that a sleep on the clock has woken;
/// - each call of a client with this clock, each attempt of a `StubTransport` with it, and their timers;
/// - the closure of `run(_:)`, and tasks with the clock as their executor: `Task(executorPreference: clock) { … }`;
/// - all tasks, groups and continuations that this work starts or resumes, also on actors.
///
/// Jobs of the main actor cannot be counted. When the counted work is idle, the clock lets the main thread do its work
/// in 20 rounds, so up to 20 jobs of the main actor may follow each other. Tasks that they start on other threads are counted.
///
/// The clock does not know the following work, and moves the time without waiting for it:
///
/// - a task that has not yet called such a client or slept on the clock. Wait for its first sleep with
///   `waitForSleepers(_:)`;
/// - sockets, files, threads, dispatch queues and sleeps on other clocks, and a task that they resume until it sleeps
///   on the clock again. With a `MockServer`, wait for its requests before you advance;
/// - custom executors, and an actor while it runs a job that the clock does not count.
///
/// Work that never rests, such as a loop of `Task.yield()`, keeps `advance(by:)` waiting, as does a blocked thread.
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
    /// Returns whether the clock counts the woken task until it calls `endWork()`.
    let continuation: CheckedContinuation<Bool, any Error>
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
    /// The number of calls of `run(_:)`.
    var runs = 0
    /// The number of pending jobs, and of woken tasks that have not run yet.
    var pending = 0
    var settlers: [CheckedContinuation<Void, Never>] = []
    /// The number of rounds of the main thread without a pending job; nil unless it is counted.
    var quietRounds: Int?

    var isAwaited: Bool { !settlers.isEmpty || runs > 0 }

    mutating func nextID() -> Int {
      lastID += 1
      return lastID
    }

    /// Moves the time to the earliest end, unless that is after `limit`. Removes all sleepers with this end and
    /// returns them, in the order in which they began to sleep.
    mutating func wakeNext(by limit: Instant?) -> [Sleeper] {
      guard let end = sleepers.map(\.end).min(), limit.map({ end <= $0 }) ?? true else { return [] }
      now = max(now, end)
      let woken = sleepers.filter { $0.end == end }
      sleepers.removeAll { $0.end == end }
      return woken
    }
  }

  private let state = Locked(State())
  let countsWork: Bool
  /// The number of jobs of the main actor, one after another, after which the clock no longer waits.
  private static let mainRounds = 20

  /// Creates a clock whose time is zero.
  public init() {
    precondition(Self.hasHook, "The Swift runtime has no hook for jobs, which VirtualClock needs.")
    countsWork = true
  }

  /// Creates a clock that counts no work. Only `wakeNext()` moves its time.
  package init(countsWork: Bool) { self.countsWork = countsWork }

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
    let isCounted = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Bool, any Error>) in
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
        case .wake: continuation.resume(returning: false)
        case .cancel: continuation.resume(throwing: CancellationError())
        case .sleep:
          tellWatchers()
          // Otherwise nothing would wake it, if the clock does not count this task's work.
          if isRunning {
            beginWork()
            endWork()
          }
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
    if isCounted {
      await enter()
      endWork()
    }
  }

  /// Advances the time by `duration`, from one end of a sleep to the next. At each end it wakes the tasks whose sleep
  /// ends, which see this end as the current time. It waits until their work is idle, then moves on. A task that
  /// sleeps again is woken again, if that sleep ends in time.
  ///
  /// Before the first move it waits for work that is under way. See `VirtualClock` about the work that it knows.
  public func advance(by duration: Duration) async {
    beginMoving()
    defer { endMoving() }
    let limit = now.advanced(by: duration)
    repeat { await settle() } while wakeNext(by: limit)
    state.withLock { $0.now = max($0.now, limit) }
  }

  /// Waits for the work that is under way, advances the time to the end of the earliest sleep, and waits until the
  /// work of the woken tasks is idle.
  /// - Returns: False if no task sleeps.
  @discardableResult
  public func advanceToNext() async -> Bool {
    beginMoving()
    defer { endMoving() }
    await settle()
    guard wakeNext(by: nil) else { return false }
    await settle()
    return true
  }

  /// Runs `work` without waiting: whenever its work is idle, the time moves to the end of the earliest sleep. So a
  /// deadline passes only if nothing else is due before it. See `VirtualClock` about the work that it knows.
  public func run<Result>(_ work: () async throws -> Result) async rethrows -> Result {
    beginMoving()
    await enter()
    state.withLock { $0.runs += 1 }
    defer {
      state.withLock { $0.runs -= 1 }
      endMoving()
      leave()
    }
    return try await work()
  }

  /// Moves the time to the earliest end, unless that is after `limit`, and wakes the tasks whose sleep ends then.
  /// - Returns: False if there is no such task.
  package func wakeNext(by limit: Instant? = nil) -> Bool {
    let woken = state.withLock { state in
      let woken = state.wakeNext(by: limit)
      if countsWork { state.pending += woken.count }
      return woken
    }
    resume(woken)
    return !woken.isEmpty
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

  private func resume(_ woken: [Sleeper]) {
    for sleeper in woken { sleeper.continuation.resume(returning: countsWork) }
  }

  private func tellWatchers() {
    let told = state.withLock { state in
      let ready = state.watchers.filter { $0.value.count <= state.sleepers.count }
      for id in ready.keys { state.watchers[id] = nil }
      return ready.values.map(\.continuation)
    }
    for continuation in told { continuation.resume() }
  }

  // MARK: Work

  /// Waits until the work that the clock counts is idle.
  private func settle() async {
    await withCheckedContinuation { continuation in
      state.withLock { $0.settlers.append(continuation) }
      lookAtMainThread()
    }
  }

  package func beginWork() {
    state.withLock { state in
      state.pending += 1
      if state.quietRounds != nil { state.quietRounds = 0 }
    }
  }

  package func endWork() {
    state.withLock { $0.pending -= 1 }
    lookAtMainThread()
  }

  /// When no job is pending, lets the main thread do its work, since the jobs of the main actor are not counted. Its
  /// queue is in order, so after each round every job has run that was enqueued before the round.
  private func lookAtMainThread() {
    let begins = state.withLock { state in
      guard state.pending == 0, state.isAwaited, state.quietRounds == nil else { return false }
      state.quietRounds = 0
      return true
    }
    if begins { DispatchQueue.main.async { self.endRound() } }
  }

  private func endRound() {
    let isQuiet: Bool? = state.withLock { state in
      guard state.pending == 0, state.isAwaited, let rounds = state.quietRounds else {
        state.quietRounds = nil
        return nil
      }
      state.quietRounds = rounds < Self.mainRounds ? rounds + 1 : nil
      return rounds == Self.mainRounds
    }
    switch isQuiet {
    case nil: break
    case false?: DispatchQueue.main.async { self.endRound() }
    // Elsewhere, because what the main thread resumes is counted.
    case true?: DispatchQueue.global().async { self.idle() }
    }
  }

  /// Continues the tasks that wait until the work is idle; without such tasks, `run(_:)` moves the time.
  private func idle() {
    let (settlers, woken): ([CheckedContinuation<Void, Never>], [Sleeper]) = state.withLock { state in
      guard state.pending == 0 else { return ([], []) }
      defer { state.settlers = [] }
      guard state.settlers.isEmpty, state.runs > 0 else { return (state.settlers, []) }
      let woken = state.wakeNext(by: nil)
      state.pending += woken.count
      return ([], woken)
    }
    for settler in settlers { settler.resume() }
    resume(woken)
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
