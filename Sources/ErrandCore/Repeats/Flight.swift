/// One request on the wire that several callers may wait for. Belongs to none of them: it has a signal of its own and the
/// highest of their priorities, and all of them may follow how far it is.
final class Flight: Sendable {
  /// The ones whose work this task does, for one another's sake. What an interceptor of theirs sends must not wait for them.
  @TaskLocal static var own: [Flight] = []

  /// Stopped when everyone who waited has left.
  let signal = StopSignal()
  let progress = ProgressHub()
  let urgency: Urgency

  init(priority: Priority) { urgency = Urgency(priority) }
}
