/// Decides what happens to a view's requests when it appears and disappears. Pure: the time is a parameter.
///
/// ```
/// hidden ─appear→ visible ─disappear→ leaving ─the grace elapses→ ended
///                    ↑                  │ appear                    │ appear: a new scope
///                    └──────────────────┴───────────────────────────┘
/// ```
struct VisibilityState: Sendable {
  enum Effect: Sendable, Equatable {
    /// Send the requests after those of visible views.
    case lower
    /// Restore the priorities of the requests.
    case restore
    /// End the requests.
    case end
    /// Put later requests into a new scope.
    case renew
    /// Call `ring` at this time.
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

  /// Handles the time that `wake` named.
  mutating func ring(at now: Duration) -> [Effect] {
    guard case .leaving(let end) = phase, now >= end else { return [] }
    phase = .ended
    return [.end]
  }
}
