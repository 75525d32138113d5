public import ErrandCore

/// Sends requests before their results are needed, and changes their priorities when the user scrolls.
/// Requests for items that will be shown soon are sent at `utility`. If such an item will not be shown after
/// all, its request continues at `background` instead of being cancelled. Requests for shown items are
/// `userInitiated`.
///
/// ```swift
/// let prefetcher = RequestPrefetcher(client) { (photo: Photo) in .get(photo.url).cached(as: photo.id, .first) }
/// ```
///
/// Get the results with `call(for:)`, or with requests that share or are cached under the same name. All
/// requests end when the prefetcher is released.
@MainActor public final class RequestPrefetcher<Item: Hashable & Sendable> {
  private let client: Client
  private let request: (Item) -> Request?
  private let scope = RequestScope("prefetching")
  private var state = PrefetchState<Item>()
  private var calls: [Item: Call] = [:]

  /// Makes a prefetcher.
  /// - Parameters:
  ///   - client: The client that sends the requests.
  ///   - request: Returns the request of an item; nil if the item needs no request.
  public init(_ client: Client, request: @escaping (Item) -> Request?) {
    self.client = client
    self.request = request
  }

  /// Sends the requests of items that will probably be shown soon.
  public func prefetch(_ items: [Item]) { apply(state.prefetch(items)) }

  /// Lowers the priority of items that will probably not be shown soon.
  public func cancelPrefetching(_ items: [Item]) { apply(state.cancel(items)) }

  /// Returns the call of an item that is shown now, and starts it if necessary. Nil if the item needs no request.
  @discardableResult
  public func call(for item: Item) -> Call? {
    apply(state.show(item))
    return calls[item]
  }

  /// Lowers the priority of an item that is no longer shown.
  public func endDisplaying(_ item: Item) { apply(state.hide(item)) }

  private func apply(_ effects: [PrefetchState<Item>.Effect]) {
    for effect in effects {
      switch effect {
      case .start(let item): start(item)
      case .raise(let item, let priority): calls[item]?.raisePriority(to: priority)
      case .lower(let item, let priority): calls[item]?.lowerPriority(to: priority)
      }
    }
  }

  private func start(_ item: Item) {
    guard let request = request(item) else { return state.end(item) }
    let call = client.start(request.priority(state.items[item] ?? .utility), in: scope)
    calls[item] = call
    Task { [weak self] in
      _ = await call.result
      self?.end(item, call)
    }
  }

  private func end(_ item: Item, _ call: Call) {
    guard calls[item] == call else { return }
    calls[item] = nil
    state.end(item)
  }
}
