import Synchronization

/// Receives the events of each call of a client (`ClientConfiguration.listeners`).
///
/// The events of one call come in order, one at a time, on any thread that works for the call. Events of
/// different calls come concurrently. No lock is held, so a listener may do anything, including cancelling
/// the call. But the call, and others, wait for the listener: one that blocks or takes long slows the client
/// down. No event shows a secret.
///
/// ```swift
/// struct SlowCalls: EventListener {
///   func record(_ event: CallEvent) {
///     guard case .finished(let response) = event.kind, let total = response.timing?.total else { return }
///     if total > .seconds(1) { print("\(event.request.method) \(event.request.url) took \(total)") }
///   }
/// }
/// ```
public protocol EventListener: Sendable {
  /// Receives an event.
  func record(_ event: CallEvent)
}

/// A listener that reads bodies.
package protocol BodyListener: EventListener {
  /// The maximum number of bytes of each body that the listener reads (`EventResponse.body(upTo:)`). That
  /// part of each stream and file is held in memory.
  var bodyLimit: Int { get }
}

extension EventListener {
  /// The maximum number of bytes of each body that the listener reads; 0 unless it is a `BodyListener`.
  var readBytes: Int { (self as? any BodyListener)?.bodyLimit ?? 0 }
}

/// The listeners of a client as a linked list. Unlike an array of existentials, it can be called without
/// copying anything or counting references. It grows at its end.
// Safe to share: it has no state, and its only subclass has constant and atomic properties.
class ListenerList: @unchecked Sendable {
  fileprivate init() {}

  /// Passes an event to all listeners, in order.
  func tell(_ event: borrowing CallEvent) {}

  /// Adds a listener, which receives all later events.
  func append(_ listener: any EventListener) {}

  /// Returns nil for an empty array.
  static func of(_ listeners: [any EventListener]) -> ListenerList? {
    var list: ListenerList?
    for listener in listeners {
      if let list { list.append(listener) } else { list = link(listener) }
    }
    return list
  }

  fileprivate static func link(_ listener: some EventListener) -> ListenerList { Link(listener) }
}

/// One listener, and the rest of the list.
// Safe to share: each property is Sendable. A subclass has to repeat the conformance.
private final class Link<Listener: EventListener>: ListenerList, @unchecked Sendable {
  private let listener: Listener
  private let next = AtomicLazyReference<ListenerList>()
  /// True once `next` is set. Loading `next` itself took half of the time of an event, because the library
  /// does it in generic code.
  private let hasNext = Atomic(false)

  init(_ listener: Listener) {
    self.listener = listener
    super.init()
  }

  override func append(_ listener: any EventListener) {
    if let next = next.load() { return next.append(listener) }
    let link = ListenerList.link(listener)
    let first = next.storeIfNil(link)
    // Another listener was added first.
    if first !== link { first.append(listener) }
    hasNext.store(true, ordering: .releasing)
  }

  override func tell(_ event: borrowing CallEvent) {
    listener.record(event)
    if hasNext.load(ordering: .acquiring) { next.load()?.tell(event) }
  }
}
