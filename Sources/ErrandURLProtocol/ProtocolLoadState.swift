/// What a `URLProtocol` may still tell its session: one end, after at most one response, and nothing after it was stopped.
/// Pure.
struct ProtocolLoadState: Sendable {
  private enum Phase {
    case new, loading, over
  }

  private var phase = Phase.new

  /// False before the load begins, and when it is over.
  var isLoading: Bool { phase == .loading }

  /// Returns true if the load begins; false if it was stopped before.
  mutating func start() -> Bool {
    guard phase == .new else { return false }
    phase = .loading
    return true
  }

  /// Returns true if the outcome is to be told, which is the last thing that is told.
  mutating func finish() -> Bool {
    guard phase == .loading else { return false }
    phase = .over
    return true
  }

  /// Returns true if the request is to be cancelled: it has no outcome yet.
  mutating func stop() -> Bool {
    defer { phase = .over }
    return phase == .loading
  }
}
