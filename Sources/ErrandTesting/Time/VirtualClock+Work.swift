import CTaskHooks
import Dispatch
public import ErrandCore

/// The clocks that a job counts for. Nearly always one: see `VirtualClock.beginMoving()`.
private final class WorkOwner: Sendable {
  let clocks: [VirtualClock]

  init(_ clocks: [VirtualClock]) { self.clocks = clocks }

  /// The owner of the work that this thread does.
  static var current: WorkOwner? {
    errand_work_owner().map { Unmanaged<WorkOwner>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Counts a job until it has ended. What it enqueues is counted before that.
  func perform(_ job: UnownedJob) {
    for clock in clocks { clock.beginWork() }
    DispatchQueue.global().async { [self] in
      // On the clock as its executor, because `Task.yield()` enqueues on the current executor and not in the hook.
      errand_set_work_owner(Unmanaged.passUnretained(self).toOpaque())
      job.runSynchronously(on: clocks[0].asUnownedTaskExecutor())
      errand_set_work_owner(nil)
      for clock in clocks { clock.endWork() }
    }
  }
}

/// The jobs of the clock's users, which the clock runs itself in order to know when they have ended.
extension VirtualClock: TaskExecutor, WorkCountingClock {
  /// Whether the jobs that counted work enqueues are counted as well.
  static let hasHook = {
    DispatchQueue.main.setSpecific(key: mainQueueMark.key, value: true)
    return errand_take_jobs { job in
      guard let owner = WorkOwner.current ?? mainOwner, let job else { return false }
      owner.perform(unsafeBitCast(UInt(bitPattern: job), to: UnownedJob.self))
      return true
    }
  }()

  /// Runs a job of a task whose preferred executor is the clock, and counts it.
  public func enqueue(_ job: consuming ExecutorJob) {
    let current = WorkOwner.current.flatMap { $0.clocks.contains { $0 === self } ? $0 : nil }
    (current ?? WorkOwner([self])).perform(UnownedJob(job))
  }

  package var executor: (any TaskExecutor)? { countsWork ? self : nil }

  /// Makes the current task part of the counted work, to which it belongs from its next job on.
  @concurrent package func enter() async {
    guard countsWork, !isAtWork else { return }
    await withTaskExecutorPreference(self) { await hop() }
  }

  /// A concurrent function, so that it begins on the preferred executor.
  @concurrent private func hop() async {
    precondition(isAtWork, "the preferred executor of a task was not used")
  }

  private var isAtWork: Bool { WorkOwner.current?.clocks.contains { $0 === self } ?? false }

  /// Ends `enter()` for the rest of the current job and for the jobs after it.
  func leave() {
    if isAtWork { errand_set_work_owner(nil) }
  }

  // MARK: The main actor

  /// The clocks that move their time now.
  private static let moving = Locked<[VirtualClock]>([])
  private static let mainQueueMark = Mark()

  // Safe to share: a key has no state.
  private struct Mark: @unchecked Sendable {
    let key = DispatchSpecificKey<Bool>()
  }

  /// The owner of what a job of the main actor enqueues, if this is one.
  private static var mainOwner: WorkOwner? {
    guard DispatchQueue.getSpecific(key: mainQueueMark.key) == true else { return nil }
    let clocks = moving.withLock { $0 }
    return clocks.isEmpty ? nil : WorkOwner(clocks)
  }

  /// While the clock moves its time, what jobs of the main actor enqueue elsewhere is counted. If several clocks do
  /// so, it is counted for each, because the runtime does not tell for whom such a job runs.
  func beginMoving() {
    Self.moving.withLock { moving in
      moving.append(self)
      errand_watch_all(true)
    }
  }

  func endMoving() {
    Self.moving.withLock { moving in
      if let index = moving.firstIndex(where: { $0 === self }) { moving.remove(at: index) }
      errand_watch_all(!moving.isEmpty)
    }
  }
}
