import ErrandCore

/// Selects requests by state, lane and id. A request has to match all three.
public struct OutboxSelection: Sendable, Hashable {
  /// One lane, or the requests without a lane.
  public enum Lane: Sendable, Hashable {
    /// The lane with this name.
    case named(String)
    /// The requests that have no lane.
    case none

    /// Compares the bytes of the names: two Unicode forms of one letter are different.
    public static func == (left: Lane, right: Lane) -> Bool {
      switch (left, right) {
      case (.named(let left), .named(let right)): ASCII.areSame(left, right)
      case (.none, .none): true
      default: false
      }
    }

    public func hash(into hasher: inout Hasher) {
      if case .named(let name) = self { hasher.combine(bytesOf: name) }
    }
  }

  /// The states of the selected requests; nil for every state.
  public var states: Set<OutboxState>?
  /// The lane of the selected requests; nil for every lane.
  public var lane: Lane?
  /// The ids of the selected requests; nil for every request.
  public var ids: [OutboxID]?

  /// Creates a selection. Each parameter that is nil selects every request.
  public init(states: Set<OutboxState>? = nil, lane: Lane? = nil, ids: [OutboxID]? = nil) {
    self.states = states
    self.lane = lane
    self.ids = ids
  }

  /// Selects every request.
  public static let all = OutboxSelection()
}

extension OutboxSelection {
  /// Returns true if the row matches the selection.
  package func includes(_ row: OutboxRow) -> Bool {
    if let states, !states.contains(row.state) { return false }
    switch lane {
    case .named(let name): return row.lane.map { ASCII.areSame($0, name) } ?? false
    case .none?: return row.lane == nil
    case nil: return true
    }
  }

  /// Returns the part of this selection that a retry by hand changes.
  /// - Parameter force: True to include rows that are being attempted.
  package func retried(force: Bool) -> OutboxSelection {
    limited(
      to: force ? [.stored, .attempting, .deadLettered, .expired] : [.stored, .deadLettered, .expired])
  }

  /// Returns this selection, restricted to rows in these states.
  package func limited(to states: Set<OutboxState>) -> OutboxSelection {
    var selection = self
    selection.states = self.states?.intersection(states) ?? states
    return selection
  }
}
