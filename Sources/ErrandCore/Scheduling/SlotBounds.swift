/// What limits come to: numbers that can be compared.
struct SlotBounds: Sendable, Hashable {
  let total: Int
  /// Of `total`, for those that nobody looks at.
  let unseen: Int
  let perOrigin: Int
  let perOriginUnseen: Int
  /// How much later each priority counts as come than if it were the highest.
  let delays: [Duration]

  init(_ limits: ConcurrencyLimits) {
    func unseen(of limit: Int?) -> Int { limit.map { max(1, max(1, $0) - max(0, limits.kept)) } ?? .max }
    total = limits.total.map { max(1, $0) } ?? .max
    self.unseen = unseen(of: limits.total)
    perOrigin = limits.perOrigin.map { max(1, $0) } ?? .max
    perOriginUnseen = unseen(of: limits.perOrigin)
    let ageing = max(.zero, min(limits.ageing, .longest))
    delays = Priority.allCases.map { ageing * (Priority.levels - 1 - $0.level) }
  }
}
