/// A clock that moves its time only when the work of its users is idle, and so has to know this work.
package protocol WorkCountingClock: AnyObject, Clock<Duration> {
  /// The executor whose jobs the clock counts. Nil if it counts none.
  var executor: (any TaskExecutor)? { get }
  /// Counts work that is not a job of the executor, until `endWork()`.
  func beginWork()
  func endWork()
  /// Makes the clock count the work of the current task from now on.
  @concurrent func enter() async
}
