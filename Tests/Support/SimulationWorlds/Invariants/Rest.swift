/// The state of a world after an hour without activity.
struct Rest: Sendable {
  /// The requests and keys that are still referenced.
  let held: Int
  let sleepers: Int
  let inFlight: Int
  let shown: Int
  /// The requests in scopes that have not ended.
  let inScopes: Int
  /// Slots that are neither held nor available.
  var lostSlots = 0
}
