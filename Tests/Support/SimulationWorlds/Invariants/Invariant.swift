/// A condition that holds in every world.
struct Invariant: Sendable {
  /// A sentence that states the condition.
  let name: String
  /// Returns a description of each violation.
  let violations: @Sendable (Evidence) -> [String]

  /// These two are derived from the end of the simulation, not from its evidence.
  static let noWaitForEver = "nothing waits forever"
  static let rest = "every world comes to rest"

  static let all = [
    oneOutcome, genuineResponses, callingOff, deadlines, silenceAfter, retries, dependencies, scopes, owners,
    ignoring, latest, sharing, shared, abandonment, limits, reservedSlots, shutdown, quiet,
    cachedResponses, freshness, changes, writes, waiting, listening, streamsEnd, pace, hedging,
  ]
}
