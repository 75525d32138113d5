/// One request of an activity.
struct ActivityEntry: Sendable {
  let text: String?
  let blocksInput: Bool
  var amount: ActivityAmount?
  // Entries with a text form a linked list, so that the newest is found in constant time.
  var older: Slab<ActivityEntry>.Token?
  var newer: Slab<ActivityEntry>.Token?
}
