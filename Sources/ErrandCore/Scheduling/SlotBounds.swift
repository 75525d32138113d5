/// The limits as plain numbers: no nil, and the reserved slots subtracted.
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
