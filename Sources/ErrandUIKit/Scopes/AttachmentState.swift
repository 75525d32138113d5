/// Decides when the requests of a page end: when it has left the place where it was. Pure.
///
/// ```
/// new ─is somewhere→ attached ─is nowhere→ left ─is somewhere again→ attached, with a new scope
/// ```
struct AttachmentState: Sendable, Equatable {
  enum Effect: Sendable, Equatable {
    /// The requests end.
    case end
    /// Requests that come from now on are put in a new scope.
    case renew
  }

  private enum Phase {
    case new, attached, left
  }

  private var phase = Phase.new

  /// Takes note of where the page is now.
  /// - Parameters:
  ///   - isAttached: True if it is in a window, or in or over a page that is.
  ///   - isSettled: False in the middle of a move: what is taken from one place may be on its way to another.
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

  /// Takes note that what the page was in has ended, and the page with it.
  mutating func leave() { phase = .left }
}
