/// Selects requests.
public struct OutboxSelection: Sendable, Hashable {
  /// One lane, or those without a lane.
  public enum Lane: Sendable, Hashable {
    case named(String)
    case none
  }

  /// Nil for every state.
  public var states: Set<OutboxState>?
  /// Nil for every lane.
  public var lane: Lane?
  /// Only these requests; nil for every request.
  public var ids: [OutboxID]?

  public init(states: Set<OutboxState>? = nil, lane: Lane? = nil, ids: [OutboxID]? = nil) {
    self.states = states
    self.lane = lane
    self.ids = ids
  }

  public static let all = OutboxSelection()
}
