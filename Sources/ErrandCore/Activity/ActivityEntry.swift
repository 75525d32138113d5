/// One request of an activity.
struct ActivityEntry: Sendable {
  let text: String?
  let blocksInput: Bool
  var amount: ActivityAmount?
  // Those with a text form a chain, so that the newest is known however many there are, whichever leaves.
  var older: Slab<ActivityEntry>.Token?
  var newer: Slab<ActivityEntry>.Token?
}
