import ErrandCore

/// Selects requests.
public struct OutboxSelection: Sendable, Hashable {
  /// One lane, or those without a lane.
  public enum Lane: Sendable, Hashable {
    case named(String)
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

extension OutboxSelection {
  package func includes(_ row: OutboxRow) -> Bool {
    if let states, !states.contains(row.state) { return false }
    switch lane {
    case .named(let name): return row.lane.map { ASCII.areSame($0, name) } ?? false
    case .none?: return row.lane == nil
    case nil: return true
    }
  }

  /// Returns the part of this selection that a retry by hand changes.
  /// - Parameter force: True for rows that are being attempted, too.
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
