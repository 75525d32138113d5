/// The right to be on the wire. It is given back once.
struct Slot: Sendable, Hashable {
  /// Its place in the table of origins.
  let origin: Int
  let isSeen: Bool

  /// That of one who goes without.
  static let none = Slot(origin: -1, isSeen: false)
}
