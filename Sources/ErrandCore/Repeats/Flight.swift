/// One request on the wire that several callers may wait for. Belongs to none of them: it has a signal of its own and the
/// highest of their priorities, and all of them may follow how far it is.
final class Flight: Sendable {
  /// Stopped when everyone who waited has left.
  let signal = StopSignal()
  let progress = ProgressHub()
  let urgency: Urgency

  init(priority: Priority) { urgency = Urgency(priority) }
}
