/// The listeners of a client as a linked list: calling them copies nothing and counts no reference, as an array of
/// existentials would.
class ListenerList: @unchecked Sendable {
  // Safe to share: it has no state, and that of its one subclass does not change.
  fileprivate init() {}

  /// Tells all listeners, in order.
  func tell(_ event: borrowing CallEvent) {}

  /// Returns nil for no listeners.
  static func of(_ listeners: [any EventListener]) -> ListenerList? {
    var list: ListenerList?
    for listener in listeners.reversed() { list = link(listener, before: list) }
    return list
  }

  private static func link(_ listener: some EventListener, before next: ListenerList?) -> ListenerList {
    Link(listener, next)
  }
}

private final class Link<Listener: EventListener>: ListenerList, @unchecked Sendable {
  private let listener: Listener
  private let next: ListenerList?

  init(_ listener: Listener, _ next: ListenerList?) {
    self.listener = listener
    self.next = next
    super.init()
  }

  override func tell(_ event: borrowing CallEvent) {
    listener.record(event)
    next?.tell(event)
  }
}
