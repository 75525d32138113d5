/// A request's place in an activity. It is good until the request ends.
package struct ActivityToken: Sendable, Hashable {
  let place: Slab<ActivityEntry>.Token
}
