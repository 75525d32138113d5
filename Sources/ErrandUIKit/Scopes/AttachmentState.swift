/// Decides when the requests of a page end: when the page has left its place. Pure.
///
/// ```
/// new ─is somewhere→ attached ─is nowhere→ left ─is somewhere again→ attached, with a new scope
/// ```
struct AttachmentState: Sendable, Equatable {
  enum Effect: Sendable, Equatable {
    /// The requests end.
    case end
    /// Later requests get a new scope.
    case renew
  }

  private enum Phase {
    case new, attached, left
  }

  private var phase = Phase.new

  /// Records the page's place.
  /// - Parameters:
  ///   - isAttached: True if the page is in a window, or in or over a page that is.
  ///   - isSettled: False during a move, when a page that left one place may be on its way to another.
  mutating func look(isAttached: Bool, isSettled: Bool = true) -> Effect? {
    if !isAttached, !isSettled { return nil }
    switch (phase, isAttached) {
    case (.new, true):
      phase = .attached
      return nil
    case (.attached, false):
      phase = .left
      return .end
    case (.left, true):
      phase = .attached
      return .renew
    default: return nil
    }
  }

  /// Records that the page has ended together with the page that contains it.
  mutating func leave() { phase = .left }
}
