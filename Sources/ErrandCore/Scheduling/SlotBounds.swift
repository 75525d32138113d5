/// What limits come to: numbers that can be compared.
struct SlotBounds: Sendable, Hashable {
  let total: Int
  /// Of `total`, for those that nobody looks at.
  let unseen: Int
  let perHost: Int
  let perHostUnseen: Int
  /// How much later each priority counts as come than if it were the highest.
  let delays: [Duration]

  init(_ limits: ConcurrencyLimits) {
    func unseen(of limit: Int?) -> Int { limit.map { max(1, $0 - max(0, limits.kept)) } ?? .max }
    total = limits.total.map { max(1, $0) } ?? .max
    self.unseen = unseen(of: limits.total)
    perHost = limits.perHost.map { max(1, $0) } ?? .max
    perHostUnseen = unseen(of: limits.perHost)
    let ageing = max(.zero, min(limits.ageing, .longest))
    delays = Priority.allCases.map { ageing * (Priority.levels - 1 - $0.level) }
  }
}
