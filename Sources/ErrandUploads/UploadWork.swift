import Dispatch

/// The place where content is read that is not sent: for a digest, or to get to an offset.
package enum UploadWork: Sendable {
  /// On a queue of its own, because a slow disk must not block the threads of tasks.
  case queued
  /// On the caller's thread, at once, for a simulation.
  case inCaller

  /// Returns a function that runs pieces of work one after another.
  func runner() -> @Sendable (@escaping @Sendable () -> Void) -> Void {
    guard case .queued = self else { return { $0() } }
    let queue = DispatchQueue(label: "errand.upload.content")
    return { work in queue.async { work() } }
  }
}
