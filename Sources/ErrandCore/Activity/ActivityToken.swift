/// A request's entry in an activity. Valid until the request ends.
package struct ActivityToken: Sendable, Hashable {
  let place: Slab<ActivityEntry>.Token
}
