import CTaskHooks
import Dispatch

/// The clocks that a job counts for. Nearly always one. Work that belongs to a clock and begins to use another belongs
/// to both, and so does what it starts.
final class WorkOwner: TaskExecutor {
  // Weak, because a task may outlive the test whose clock it belonged to, and start the next test.
  private struct Entry: Sendable {
    weak let clock: VirtualClock?
  }

  private let entries: [Entry]

  init(_ clocks: [VirtualClock]) { entries = clocks.map(Entry.init) }

  var clocks: [VirtualClock] { entries.compactMap(\.clock) }

  func contains(_ clock: VirtualClock) -> Bool { entries.contains { $0.clock === clock } }

  /// Returns the owner of work that belongs to the clocks of both.
  func adding(_ other: WorkOwner?) -> WorkOwner {
    guard let other, other !== self else { return self }
    let clocks = clocks
    let added = other.clocks.filter { clock in !clocks.contains { $0 === clock } }
    return added.isEmpty ? self : WorkOwner(clocks + added)
  }

  /// The owner of the work that this thread does.
  static var current: WorkOwner? {
    errand_work_owner().map { Unmanaged<WorkOwner>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Calls `body` on this thread, as work of `owner`.
  static func with(_ owner: WorkOwner?, _ body: () -> Void) {
    let former = errand_work_owner()
    withExtendedLifetime(owner) {
      errand_set_work_owner(owner.map { Unmanaged.passUnretained($0).toOpaque() })
      body()
      errand_set_work_owner(former)
    }
  }

  /// Runs a job of a task whose preferred executor is this owner.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    adding(.current).perform(job)
  }

  /// Counts a job until it has ended. What it enqueues is counted before that.
  func perform(_ job: UnownedJob) {
    let clocks = clocks
    for clock in clocks { clock.beginWork() }
    DispatchQueue.global().async { [self] in
      // On the owner as its executor, because `Task.yield()` enqueues on the current executor and not in the hook.
      Self.with(self) { job.runSynchronously(on: asUnownedTaskExecutor()) }
      for clock in clocks { clock.endWork() }
    }
  }
}
