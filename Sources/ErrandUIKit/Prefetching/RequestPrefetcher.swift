public import ErrandCore

/// Sends requests before their results are needed, and changes their priorities when the user scrolls: what will be
/// shown soon is sent at `utility`, what will not be after all goes on at `background` instead of being cancelled, and
/// what is shown is `userInitiated`.
///
/// ```swift
/// let prefetcher = RequestPrefetcher(client) { (photo: Photo) in .get(photo.url).cached(as: photo.id, .first) }
/// ```
///
/// Results are those of `call(for:)`, and of requests that share or are cached under the same name. All requests end
/// with the prefetcher.
@MainActor public final class RequestPrefetcher<Item: Hashable & Sendable> {
  private let client: Client
  private let request: (Item) -> Request?
  private let scope = RequestScope("prefetching")
  private var state = PrefetchState<Item>()
  private var calls: [Item: Call] = [:]

  /// - Parameter request: Makes the request of an item; nil if nothing is to be sent for it.
  public init(_ client: Client, request: @escaping (Item) -> Request?) {
    self.client = client
    self.request = request
  }

  /// Begins with items that will probably be shown soon.
  public func prefetch(_ items: [Item]) { apply(state.prefetch(items)) }

  /// Lowers the priority of items that will probably not be shown soon.
  public func cancelPrefetching(_ items: [Item]) { apply(state.cancel(items)) }

  /// Returns the call of an item that is shown now, which is begun if there is none; nil if it has no request.
  @discardableResult
  public func call(for item: Item) -> Call? {
    apply(state.show(item))
    return calls[item]
  }

  /// Lowers the priority of an item that is not shown any more.
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
