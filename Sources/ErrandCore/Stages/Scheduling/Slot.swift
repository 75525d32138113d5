/// The right to be on the wire. It is released once.
struct Slot: Sendable, Hashable {
  /// The origin's place in the table of origins.
  let origin: Int
  let isSeen: Bool

  /// The slot of a request that proceeds without one.
  static let none = Slot(origin: -1, isSeen: false)
}

/// The limits as plain numbers: nil is replaced by the largest number, and the reserved slots are subtracted.
struct SlotBounds: Sendable, Hashable {
  let total: Int
  /// The slots of `total` that `utility` and `background` may use.
  let unseen: Int
  let perOrigin: Int
  let perOriginUnseen: Int
  /// For each priority, how much later a request is due than one of the highest priority.
  let delays: [Duration]

  init(_ limits: ConcurrencyLimits) {
    func unseen(of limit: Int?) -> Int { limit.map { max(1, max(1, $0) - max(0, limits.reserved)) } ?? .max }
    total = limits.total.map { max(1, $0) } ?? .max
    self.unseen = unseen(of: limits.total)
    perOrigin = limits.perOrigin.map { max(1, $0) } ?? .max
    perOriginUnseen = unseen(of: limits.perOrigin)
    let ageing = max(.zero, min(limits.ageing, .longest))
    delays = Priority.allCases.map { ageing * (Priority.levels - 1 - $0.level) }
  }
}

/// Identifies a waiting request until it starts or leaves.
struct Ticket: Sendable, Hashable {
  let place: Int
  /// The arrival number, which distinguishes the request from a later one at the same place.
  let arrival: UInt64
}

/// The numbers of running and waiting requests, for tests and tools.
package struct SlotLoad: Sendable, Hashable {
  package internal(set) var running = 0
  var waitingByLevel = [Int](repeating: 0, count: Priority.levels)

  package var waiting: Int { waitingByLevel.reduce(0, +) }
  package func waiting(_ priority: Priority) -> Int { waitingByLevel[priority.level] }
}

extension Priority {
  /// True if requests of this priority may use every slot, including the reserved ones.
  var isSeen: Bool { self >= .default }

  /// The index of the priority's lines.
  var level: Int { Int(rawValue) }
  static let levels = allCases.count
}
