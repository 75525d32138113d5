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
/// Work that uses several clocks counts for each of them. If the work of one clock calls `run(_:)` or `advance(by:)` of
/// another, the other clock moves first.
///
/// The clock does not know the following work, and moves the time without waiting for it:
///
/// - a task that has not yet called such a client or slept on the clock. Wait for its first sleep with
///   `waitForSleepers(_:)`;
/// - sockets, files, threads, dispatch queues and sleeps on other clocks. With a `MockServer`, wait for its requests
///   before you advance;
/// - custom executors, `globalConcurrentExecutor` as the executor of a task, and an actor while it runs a job that the
///   clock does not count;
/// - a task that any of these resumes, until it sleeps on the clock again;
/// - a task after `Task.yield()`, until it sleeps on the clock again, if it has called an actor before or if
///   `Task.immediate` started it.
///
/// The last two do not concern the closure of `run(_:)`, its child tasks, and tasks with the clock as their executor, such
/// as `Task.immediate(executorPreference: clock) { … }`.
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
    /// Returns whether the clock counts the woken task until it calls `endWork()`.
    let continuation: CheckedContinuation<Bool, any Error>
    /// The owner of the task's work.
    let owner: WorkOwner?
  }

  private struct Watcher {
    let count: Int
    let continuation: CheckedContinuation<Void, any Error>
    let owner: WorkOwner?
  }

  /// A task that waits until its move ends.
  private struct Waiter {
    let continuation: CheckedContinuation<Bool, Never>
    let owner: WorkOwner?
  }

  private struct State {
    var time = VirtualTime()
    var sleepers: [Int: Sleeper] = [:]
    var watchers: [Int: Watcher] = [:]
    var waiters: [Int: Waiter] = [:]
    var cancelled: Set<Int> = []
    var lastID = 0

    mutating func nextID() -> Int {
      lastID += 1
      return lastID
    }

    mutating func remove(_ woken: [Int]) -> [Sleeper] {
      woken.compactMap { sleepers.removeValue(forKey: $0) }
    }
  }

  private let state = Locked(State())
  let countsWork: Bool

  /// Creates a clock whose time is zero.
  public init() {
    precondition(Self.hasHook, "The Swift runtime has no hook for jobs, which VirtualClock needs.")
    countsWork = true
  }

  /// Creates a clock that counts no work. Only `wakeNext()` moves its time.
  package init(countsWork: Bool) { self.countsWork = countsWork }

  /// The current instant, which only `advance(by:)`, `advanceToNext()` and `run(_:)` change.
  public var now: Instant { Instant(offset: state.withLock { $0.time.now }) }
  /// Zero, because the clock measures every duration exactly.
  public var minimumResolution: Duration { .zero }

  /// The number of sleeping tasks.
  public var sleepers: Int { state.withLock { $0.time.sleepers } }

  /// The ends of all sleeps, earliest first.
  public var ends: [Instant] { state.withLock { $0.time.sortedEnds }.map(Instant.init) }

  /// Waits until the clock has reached `deadline`.
  /// - Throws: `CancellationError` if the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let id = state.withLock { $0.nextID() }
    let owner = WorkOwner.current
    let isCounted = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Bool, any Error>) in
        enum Step {
          case sleep, wake, cancel
        }
        let step = state.withLock { state -> Step in
          if state.cancelled.remove(id) != nil { return .cancel }
          guard deadline.offset > state.time.now else { return .wake }
          state.time.sleep(id, until: deadline.offset)
          state.sleepers[id] = Sleeper(continuation: continuation, owner: owner)
          return .sleep
        }
        switch step {
        case .wake: continuation.resume(returning: false)
        case .cancel: continuation.resume(throwing: CancellationError())
        case .sleep:
          tellWatchers()
          // Otherwise nothing would wake it, if the clock does not count this task's work.
          lookAgain()
        }
      }
    } onCancel: {
      let sleeper: Sleeper? = state.withLock { state in
        if state.time.cancelSleep(id) { return state.sleepers.removeValue(forKey: id) }
        state.cancelled.insert(id)
        return nil
      }
      guard let sleeper else { return }
      // It is work of the task that cancelled it, too.
      WorkOwner.with(sleeper.owner?.adding(.current) ?? .current) {
        sleeper.continuation.resume(throwing: CancellationError())
      }
      look()
    }
    // A cancellation that came too late for this sleep must not stay stored.
    state.withLock { _ = $0.cancelled.remove(id) }
    if isCounted {
      await enter(with: owner)
      endWork()
    }
  }

  /// Advances the time by `duration`, from one end of a sleep to the next. At each end it wakes the tasks whose sleep
  /// ends, which see this end as the current time. It waits until their work is idle, then moves on. A task that
  /// sleeps again is woken again, if that sleep ends in time.
  ///
  /// Before the first move it waits for work that is under way. See `VirtualClock` about the work that it knows.
  ///
  /// Several calls may move the clock at the same time. Each returns when the clock has reached the time of its call plus
  /// its duration, and the time moves only when the work that is due for any of them is idle.
  public func advance(by duration: Duration) async { _ = await move { .advance(to: $0 + duration) } }

  /// Waits for the work that is under way, advances the time to the end of the earliest sleep, and waits until the
  /// work of the woken tasks is idle.
  /// - Returns: False if no task sleeps.
  @discardableResult
  public func advanceToNext() async -> Bool { await move { _ in .next(hasMoved: false) } }

  /// Runs `work` without waiting: whenever its work is idle, the time moves to the end of the earliest sleep. So a
  /// deadline passes only if nothing else is due before it. See `VirtualClock` about the work that it knows.
  ///
  /// A call of `advance(by:)` or `advanceToNext()` meanwhile comes first. Afterwards the run continues.
  public func run<Result>(_ work: () async throws -> Result) async rethrows -> Result {
    let owner = WorkOwner.current
    let mover = beginMoving(isRun: true)
    await enter(with: owner)
    state.withLock { $0.time.beginRun() }
    let result: Result
    do {
      // The task prefers the clock's executor, so it is counted whatever resumes it.
      result = try await withTaskExecutorPreference(executor(adding: owner)) { try await work() }
    } catch {
      await endRun(mover, owner)
      throw error
    }
    await endRun(mover, owner)
    return result
  }

  private func endRun(_ mover: Mover, _ owner: WorkOwner?) async {
    state.withLock { $0.time.endRun() }
    await become(owner)
    endMoving(mover)
  }

  /// Moves the time until the move ends.
  private func move(_ move: (_ now: Duration) -> VirtualTime.Move) async -> Bool {
    let owner = WorkOwner.current
    let mover = beginMoving(isRun: false)
    let hasMoved = await withCheckedContinuation { continuation in
      state.withLock { state in
        let id = state.nextID()
        state.waiters[id] = Waiter(continuation: continuation, owner: owner)
        state.time.begin(move(state.time.now), id)
      }
      look()
    }
    endMoving(mover)
    endWork()
    return hasMoved
  }

  /// Moves the time to the earliest end, and wakes the tasks whose sleep ends then.
  /// - Returns: False if there is no such task.
  package func wakeNext() -> Bool {
    let woken = state.withLock { $0.remove($0.time.wake(counts: countsWork)) }
    resume(woken)
    return !woken.isEmpty
  }

  /// Waits until at least `count` tasks sleep.
  /// - Parameter count: The number of tasks. Default: 1.
  /// - Throws: `CancellationError` if the task is cancelled.
  public func waitForSleepers(_ count: Int = 1) async throws {
    let id = state.withLock { $0.nextID() }
    let owner = WorkOwner.current
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = state.withLock { state in
          if state.cancelled.remove(id) != nil { return true }
          state.watchers[id] = Watcher(count: count, continuation: continuation, owner: owner)
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
    for sleeper in woken {
      WorkOwner.with(executor(adding: sleeper.owner) ?? .current) {
        sleeper.continuation.resume(returning: countsWork)
      }
    }
  }

  private func tellWatchers() {
    let told = state.withLock { state in
      let ready = state.watchers.filter { $0.value.count <= state.time.sleepers }
      for id in ready.keys { state.watchers[id] = nil }
      return ready.values
    }
    // A task that waits for a sleeper does not become part of the sleeper's work.
    for watcher in told { WorkOwner.with(watcher.owner) { watcher.continuation.resume() } }
  }

  // MARK: Work

  package func beginWork() { state.withLock { $0.time.beginWork() } }

  package func endWork() {
    state.withLock { $0.time.endWork() }
    look()
  }

  var isBusy: Bool { state.withLock { $0.time.isBusy } }

  private func look() {
    if state.withLock({ $0.time.look() }) { beginRound() }
  }

  func lookAgain() {
    if state.withLock({ $0.time.lookAgain() }) { beginRound() }
  }

  /// When no job is pending, lets the main thread do its work, since the jobs of the main actor are not counted. Its
  /// queue is in order, so after each round every job has run that was enqueued before the round.
  private func beginRound() {
    DispatchQueue.main.async { [self] in follow(state.withLock { $0.time.endRound() }) }
  }

  private func follow(_ look: VirtualTime.Look) {
    switch look {
    case .rest: break
    case .round: beginRound()
    // Elsewhere, because what the main thread resumes is counted.
    case .decide: DispatchQueue.global().async { self.decide() }
    case .step(.wake(let woken)): resume(state.withLock { $0.remove(woken) })
    case .step(.end(let id, let hasMoved)):
      guard let waiter = state.withLock({ $0.waiters.removeValue(forKey: id) }) else { return }
      WorkOwner.with(waiter.owner) { waiter.continuation.resume(returning: hasMoved) }
    }
  }

  private func decide() {
    let isHeld = isHeld
    let look = state.withLock { $0.time.decide(isHeld: isHeld) }
    follow(look)
    if look == .rest { releaseOthers() }
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
