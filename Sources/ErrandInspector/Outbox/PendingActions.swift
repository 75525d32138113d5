/// Changes of an outbox that wait for a while, so that they can be undone. Pure.
struct PendingActions: Sendable {
  /// One change.
  struct Item: Sendable {
    let id: Int
    let action: InspectorAction
    /// When it begins: milliseconds since 1970.
    let ends: Double
    /// The number of requests that were changed; nil before the change begins.
    fileprivate(set) var done: Int?
    /// Why it ended early; nil if it did not.
    fileprivate(set) var failure: String?
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

  /// Removes a change that has not begun, or one that failed and has been read.
  /// - Returns: False if it has begun already.
  mutating func undo(_ id: Int) -> Bool {
    guard let index = index(of: id), items[index].done == nil || items[index].failure != nil else {
      return false
    }
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

  /// Removes a change that was carried out, or keeps why it failed.
  mutating func end(_ id: Int, failure: String?) {
    guard let index = index(of: id) else { return }
    if let failure { items[index].failure = failure } else { items.remove(at: index) }
  }

  /// Removes the changes that have not begun.
  mutating func forget() { items.removeAll { $0.done == nil } }

  private func index(of id: Int) -> Int? { items.firstIndex { $0.id == id } }
}
