/// Something that holds in every world.
struct Invariant: Sendable {
  /// A sentence.
  let name: String
  /// What speaks against it.
  let violations: @Sendable (Evidence) -> [String]

  /// Told by how the simulation ended, not by what it left.
  static let noWaitForEver = "nothing waits for ever"
  static let rest = "all comes to rest"

  static let all = [
    oneOutcome, genuineAnswers, callingOff, deadlines, silenceAfter, retries, dependencies, scopes, owners,
    ignoring, latest, sharing, shared, abandonment, limits, keptSlots, shutdown, quiet,
  ]
}
