import CTaskHooks
import Dispatch
public import ErrandCore

/// The jobs of the clock's users, which the clock runs itself in order to know when they have ended.
extension VirtualClock: TaskExecutor, WorkCountingClock {
  /// Whether the jobs that counted work enqueues are counted as well.
  static let hasHook = {
    mainQueueKey.withLock { DispatchQueue.main.setSpecific(key: $0, value: true) }
    return errand_take_jobs { job in
      guard let owner = workOwner, !owner.clocks.isEmpty, let job else { return false }
      owner.perform(unsafeBitCast(UInt(bitPattern: job), to: UnownedJob.self))
      return true
    }
  }()

  /// Runs a job of a task whose preferred executor is the clock, and counts it.
  public func enqueue(_ job: consuming ExecutorJob) { WorkOwner([self]).enqueue(job) }

  package var executor: (any TaskExecutor)? { countsWork ? self : nil }

  /// The executor of work that belongs to `owner`, too.
  func executor(adding owner: WorkOwner?) -> WorkOwner? { countsWork ? WorkOwner([self]).adding(owner) : nil }

  /// Makes the current task part of the counted work, to which it belongs from its next job on.
  @concurrent package func enter() async { await enter(with: nil) }

  /// - Parameter owner: The owner of the task's former work, to which it belongs as well.
  @concurrent func enter(with owner: WorkOwner?) async {
    guard let owner = executor(adding: owner) else { return }
    if let current = WorkOwner.current, current.adding(owner) === current { return }
    await withTaskExecutorPreference(owner) { await hop() }
  }

  /// A concurrent function, so that it begins on the preferred executor.
  @concurrent private func hop() async {
    precondition(WorkOwner.current?.contains(self) ?? false, "the preferred executor of a task was not used")
  }

  /// Makes the current task part of `owner`'s work, and of no other work. Nil if the work is not counted.
  @concurrent func become(_ owner: WorkOwner?) async {
    let current = WorkOwner.current
    if current === owner { return }
    let clocks = owner?.clocks ?? []
    for clock in clocks { clock.beginWork() }
    // On another thread, because other tasks may still use this one.
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { WorkOwner.with(owner) { continuation.resume() } }
    }
    for clock in clocks { clock.endWork() }
  }

  // MARK: Moving clocks

  /// A call that moves the time of a clock.
  struct Mover: Sendable {
    let id: Int
    let clock: VirtualClock
    /// The clocks to whose work the call belongs. They must not move before it.
    let outer: [VirtualClock]
    /// Whether the outer clocks may move while this clock has no step to make, because its work may wait for them.
    let isRun: Bool
  }

  private struct Movers {
    var all: [Mover] = []
    var lastID = 0

    /// Whether `other` has to move before `clock`.
    func holds(_ other: VirtualClock, _ clock: VirtualClock) -> Bool {
      all.contains { $0.clock === other && $0.outer.contains { $0 === clock || holds($0, clock) } }
    }
  }

  private static let movers = Locked(Movers())
  private static let mainQueueKey = Locked(DispatchSpecificKey<Bool>())

  /// The owner of what this thread enqueues.
  ///
  /// While a clock moves its time, what jobs of the main actor enqueue elsewhere is counted. If several clocks do so, it
  /// is counted for each, because the runtime does not tell for whom such a job runs.
  private static var workOwner: WorkOwner? {
    if let current = WorkOwner.current { return current }
    guard mainQueueKey.withLock({ DispatchQueue.getSpecific(key: $0) }) == true else { return nil }
    let clocks = movers.withLock { $0.all.map(\.clock) }
    return clocks.isEmpty ? nil : WorkOwner(clocks)
  }

  func beginMoving(isRun: Bool) -> Mover {
    let outer = Self.workOwner?.clocks.filter { $0 !== self } ?? []
    return Self.movers.withLock { movers in
      movers.lastID += 1
      // Two clocks whose calls are within each other's work must not wait for each other.
      let held = outer.filter { !movers.holds($0, self) }
      let mover = Mover(id: movers.lastID, clock: self, outer: held, isRun: isRun)
      movers.all.append(mover)
      errand_watch_all(true)
      return mover
    }
  }

  func endMoving(_ mover: Mover) {
    Self.movers.withLock { movers in
      movers.all.removeAll { $0.id == mover.id }
      errand_watch_all(!movers.all.isEmpty)
    }
    for clock in mover.outer { clock.lookAgain() }
  }

  /// Whether a call that belongs to this clock's work has to move another clock first.
  var isHeld: Bool { isHeld(by: Self.movers.withLock { $0.all }) }

  private func isHeld(by movers: [Mover]) -> Bool {
    movers.contains { mover in
      guard mover.outer.contains(where: { $0 === self }) else { return false }
      return !mover.isRun || mover.clock.isBusy || mover.clock.isHeld(by: movers)
    }
  }

  /// Lets the clocks move that waited for this one.
  func releaseOthers() {
    let released = Self.movers.withLock { $0.all.filter { $0.clock === self }.flatMap(\.outer) }
    for clock in released { clock.lookAgain() }
  }
}
