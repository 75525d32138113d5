/// Changes of an outbox that wait for a while, so that they can be undone. Pure.
struct PendingActions: Sendable {
  /// One change.
  struct Item: Sendable {
    let id: Int
    let action: InspectorAction
    /// When it is carried out: milliseconds since 1970.
    let ends: Double
  }

  private(set) var items: [Item] = []
  private var last = 0

  /// Adds a change.
  /// - Returns: Its number.
  mutating func add(_ action: InspectorAction, until ends: Double) -> Int {
    last += 1
    items.append(Item(id: last, action: action, ends: ends))
    return last
  }

  /// Removes a change, and returns it; nil if it was carried out or removed already.
  mutating func remove(_ id: Int) -> InspectorAction? {
    guard let index = items.firstIndex(where: { $0.id == id }) else { return nil }
    return items.remove(at: index).action
  }

  /// Removes and returns the changes whose time has come.
  mutating func takeDue(at now: Double) -> [InspectorAction] {
    let due = items.filter { $0.ends <= now }
    items.removeAll { $0.ends <= now }
    return due.map(\.action)
  }
}
