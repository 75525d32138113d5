/// The right to be on the wire. It is given back once.
struct Slot: Sendable, Hashable {
  /// Its place in the table of hosts.
  let host: Int
  let isSeen: Bool

  /// That of one who goes without.
  static let none = Slot(host: -1, isSeen: false)
}
