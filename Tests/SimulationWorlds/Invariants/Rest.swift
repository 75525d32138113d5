/// What was left in a world when nothing had moved for an hour.
struct Rest: Sendable {
  /// Requests and keys that somebody holds on to.
  let held: Int
  let sleepers: Int
  let inFlight: Int
  let shown: Int
  /// What is in scopes that have not ended.
  let inScopes: Int
  /// Slots that nobody holds, and nobody can have.
  var lostSlots = 0
}
