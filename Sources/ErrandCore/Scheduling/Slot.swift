/// The right to be on the wire. It is released once.
struct Slot: Sendable, Hashable {
  /// The origin's place in the table of origins.
  let origin: Int
  let isSeen: Bool

  /// The slot of a request that goes without one.
  static let none = Slot(origin: -1, isSeen: false)
}
