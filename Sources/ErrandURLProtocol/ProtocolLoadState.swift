/// Decides which callbacks a `URLProtocol` may still make: one outcome, with at most one response, and none
/// after it was stopped. Pure.
struct ProtocolLoadState: Sendable {
  private enum Phase {
    case new, loading, over
  }

  private var phase = Phase.new

  /// False before the load begins, and after it has ended.
  var isLoading: Bool { phase == .loading }

  /// Returns true if the load begins; false if it was stopped before.
  mutating func start() -> Bool {
    guard phase == .new else { return false }
    phase = .loading
    return true
  }

  /// Returns true if the outcome should be reported. No further callback may follow.
  mutating func finish() -> Bool {
    guard phase == .loading else { return false }
    phase = .over
    return true
  }

  /// Returns true if the request should be cancelled, because it has no outcome yet.
  mutating func stop() -> Bool {
    defer { phase = .over }
    return phase == .loading
  }
}
