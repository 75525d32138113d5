import ErrandCore

/// Decides the priorities of requests whose results may be needed soon. Pure.
struct PrefetchState<Item: Hashable & Sendable>: Sendable {
  enum Effect: Sendable, Equatable {
    case start(Item)
    case raise(Item, to: Priority)
    case lower(Item, to: Priority)
  }

  /// The items with a request in progress, each with the request's priority.
  private(set) var items: [Item: Priority] = [:]

  /// Records items that will probably be shown soon.
  mutating func prefetch(_ wanted: [Item]) -> [Effect] { wanted.compactMap { set($0, to: .utility) } }

  /// Records items that will probably not be shown soon. Their requests continue behind all others.
  mutating func cancel(_ unwanted: [Item]) -> [Effect] {
    unwanted.compactMap { items[$0] == .utility ? set($0, to: .background) : nil }
  }

  /// Records an item that is shown.
  mutating func show(_ item: Item) -> [Effect] { set(item, to: .userInitiated).map { [$0] } ?? [] }

  /// Records an item that is no longer shown.
  mutating func hide(_ item: Item) -> [Effect] {
    items[item] == .userInitiated ? set(item, to: .background).map { [$0] } ?? [] : []
  }

  /// Records the end of a request.
  mutating func end(_ item: Item) { items[item] = nil }

  private mutating func set(_ item: Item, to priority: Priority) -> Effect? {
    guard let present = items.updateValue(priority, forKey: item) else { return .start(item) }
    if present == priority { return nil }
    // The item stays urgent until it is hidden.
    if present == .userInitiated, priority == .utility {
      items[item] = present
      return nil
    }
    return present < priority ? .raise(item, to: priority) : .lower(item, to: priority)
  }
}
