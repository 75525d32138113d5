import Synchronization

/// The listeners of a client as a linked list: calling them copies nothing and counts no reference, as an array of
/// existentials would. It grows at its end.
class ListenerList: @unchecked Sendable {
  // Safe to share: it has no state, and that of its one subclass does not change.
  fileprivate init() {}

  /// Tells all listeners, in order.
  func tell(_ event: borrowing CallEvent) {}

  /// Adds a listener, which is told of what happens from now on.
  func append(_ listener: any EventListener) {}

  /// Returns nil for no listeners.
  static func of(_ listeners: [any EventListener]) -> ListenerList? {
    var list: ListenerList?
    for listener in listeners {
      if let list { list.append(listener) } else { list = link(listener) }
    }
    return list
  }

  fileprivate static func link(_ listener: some EventListener) -> ListenerList { Link(listener) }
}

private final class Link<Listener: EventListener>: ListenerList, @unchecked Sendable {
  private let listener: Listener
  private let next = AtomicLazyReference<ListenerList>()
  /// True once there is a next one. The library loads the reference in generic code, which cost half of what an event did.
  private let hasNext = Atomic(false)

  init(_ listener: Listener) {
    self.listener = listener
    super.init()
  }

  override func append(_ listener: any EventListener) {
    if let next = next.load() { return next.append(listener) }
    let link = ListenerList.link(listener)
    let first = next.storeIfNil(link)
    // Another was added meanwhile.
    if first !== link { first.append(listener) }
    hasNext.store(true, ordering: .releasing)
  }

  override func tell(_ event: borrowing CallEvent) {
    listener.record(event)
    if hasNext.load(ordering: .acquiring) { next.load()?.tell(event) }
  }
}
