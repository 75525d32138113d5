/// Names one who waits, until it starts or leaves.
struct Ticket: Sendable, Hashable {
  let place: Int
  /// Which arrival it was, so that it is never taken for whoever has its place next.
  let arrival: UInt64
}
