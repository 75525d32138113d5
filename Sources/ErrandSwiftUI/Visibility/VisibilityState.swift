/// Decides what happens to a view's requests when it appears and disappears. Pure: the time is a parameter.
///
/// ```
/// hidden ─appear→ visible ─disappear→ leaving ─the grace is over→ ended
///                    ↑                  │ appear                    │ appear: a new scope
///                    └──────────────────┴───────────────────────────┘
/// ```
struct VisibilityState: Sendable {
  enum Effect: Sendable, Equatable {
    /// Requests are put behind those of visible views.
    case lower
    /// Requests get their own priority back.
    case restore
    /// Requests end.
    case end
    /// Requests that come from now on are put in a new scope.
    case renew
    /// `ring` is to be called then.
    case wake(at: Duration)
  }

  private enum Phase {
    case hidden, visible, ended
    case leaving(until: Duration)
  }

  private let grace: Duration
  private var phase = Phase.hidden

  init(grace: Duration) { self.grace = max(.zero, grace) }

  mutating func appear() -> [Effect] {
    defer { phase = .visible }
    switch phase {
    case .leaving: return [.restore]
    case .ended: return [.renew]
    case .hidden, .visible: return []
    }
  }

  mutating func disappear(at now: Duration) -> [Effect] {
    guard case .visible = phase else { return [] }
    phase = .leaving(until: now + grace)
    return [.lower, .wake(at: now + grace)]
  }

  /// Handles a time that `wake` named.
  mutating func ring(at now: Duration) -> [Effect] {
    guard case .leaving(let end) = phase, now >= end else { return [] }
    phase = .ended
    return [.end]
  }
}
