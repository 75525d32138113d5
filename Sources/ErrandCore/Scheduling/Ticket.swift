/// Identifies a waiting request, until it starts or leaves.
struct Ticket: Sendable, Hashable {
  let place: Int
  /// The arrival number, which distinguishes the request from a later one at the same place.
  let arrival: UInt64
}
