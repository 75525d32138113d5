/// Changes of an outbox that wait for a while, so that they can be undone. Pure.
struct PendingActions: Sendable {
  /// One change.
  struct Item: Sendable {
    let id: Int
    let action: InspectorAction
    /// When it begins, in milliseconds since some beginning.
    let ends: Double
    /// The number of requests that were changed; nil before the change begins.
    fileprivate(set) var done: Int?
    /// Why some of its requests were not changed, as a sentence; nil if all were.
    fileprivate(set) var failure: String?
  }

  private(set) var items: [Item] = []
  private var last = 0
  private var undone: Set<Int> = []

  /// Returns true if a change that is not over may change the same requests, so that undoing one would leave the other.
  func conflicts(with action: InspectorAction) -> Bool {
    items.contains { item in
      guard item.failure == nil else { return false }
      let other = item.action
      if let ids = action.ids, let others = other.ids { return !Set(ids).isDisjoint(with: others) }
      guard action.filter?.state == other.filter?.state else { return false }
      return action.name != other.name || action.ids != nil || other.ids != nil
        || action.filter?.isSame(as: other.filter) ?? true
    }
  }

  /// Adds a change.
  /// - Returns: Its number.
  mutating func add(_ action: InspectorAction, until ends: Double) -> Int {
    last += 1
    items.append(Item(id: last, action: action, ends: ends))
    return last
  }

  /// Removes a change that has not begun, or one whose end has been read.
  /// - Returns: False if it has begun already. True also for one that was undone before, as from another page.
  mutating func undo(_ id: Int) -> Bool {
    guard let index = index(of: id) else { return undone.contains(id) }
    if items[index].done != nil, items[index].failure == nil { return false }
    if items[index].done == nil { undone.insert(id) }
    items.remove(at: index)
    return true
  }

  /// Begins a change; returns nil if it has begun already or was undone.
  mutating func begin(_ id: Int) -> Item? {
    guard let index = index(of: id), items[index].done == nil else { return nil }
    items[index].done = 0
    return items[index]
  }

  /// Begins the changes that can no longer be undone, and returns them.
  mutating func beginDue(at now: Double) -> [Item] {
    items.filter { $0.ends <= now }.compactMap { begin($0.id) }
  }

  /// Adds to the number of requests that a change has changed.
  mutating func advance(_ id: Int, by count: Int) {
    if let index = index(of: id) { items[index].done = (items[index].done ?? 0) + count }
  }

  /// Removes a change that was carried out. One that failed, or that changed fewer requests, stays until its end has
  /// been read.
  mutating func end(_ id: Int, failure: String?) {
    guard let index = index(of: id) else { return }
    let (done, count) = (items[index].done ?? 0, items[index].action.count ?? 0)
    if let failure {
      items[index].failure = "It failed: \(failure)"
    } else if done < count {
      items[index].failure = "The other \(count - done) were in another state by then, and stay as they are."
    } else {
      items.remove(at: index)
    }
  }

  /// Removes the changes that have not begun.
  mutating func forget() { items.removeAll { $0.done == nil } }

  private func index(of id: Int) -> Int? { items.firstIndex { $0.id == id } }
}
