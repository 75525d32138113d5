import ErrandCore

/// Decides what happens to requests whose results may be needed soon. Pure.
struct PrefetchState<Item: Hashable & Sendable>: Sendable {
  enum Effect: Sendable, Equatable {
    case start(Item)
    case raise(Item, to: Priority)
    case lower(Item, to: Priority)
  }

  /// The items whose requests are under way, each with the priority that it was given.
  private(set) var items: [Item: Priority] = [:]

  /// Takes note of items that will probably be shown soon.
  mutating func prefetch(_ wanted: [Item]) -> [Effect] { wanted.compactMap { set($0, to: .utility) } }

  /// Takes note of items that will probably not be shown soon: their requests go on behind all others.
  mutating func cancel(_ unwanted: [Item]) -> [Effect] {
    unwanted.compactMap { items[$0] == .utility ? set($0, to: .background) : nil }
  }

  /// Takes note of an item that is shown.
  mutating func show(_ item: Item) -> [Effect] { set(item, to: .userInitiated).map { [$0] } ?? [] }

  /// Takes note of an item that was shown and is not any more.
  mutating func hide(_ item: Item) -> [Effect] {
    items[item] == .userInitiated ? set(item, to: .background).map { [$0] } ?? [] : []
  }

  /// Takes note of a request that has ended.
  mutating func end(_ item: Item) { items[item] = nil }

  private mutating func set(_ item: Item, to priority: Priority) -> Effect? {
    guard let present = items.updateValue(priority, forKey: item) else { return .start(item) }
    if present == priority { return nil }
    // An item that is shown stays urgent until it is hidden.
    if present == .userInitiated, priority == .utility {
      items[item] = present
      return nil
    }
    return present < priority ? .raise(item, to: priority) : .lower(item, to: priority)
  }
}
