import Synchronization

/// Holds a client's event source, which is made for the first listener.
final class EventHolder: Sendable {
  private let held = AtomicLazyReference<EventSource>()
  /// Read first, because each access to `held` is slow: it uses the type's metadata at run time.
  private let holds: Atomic<Bool>

  init(_ source: EventSource?) {
    if let source { _ = held.storeIfNil(source) }
    holds = Atomic(source != nil)
  }

  /// The source; nil without listeners.
  var source: EventSource? { holds.load(ordering: .acquiring) ? held.load() : nil }

  /// Adds a listener to the calls that begin from now on.
  /// - Parameter make: Makes the source with this listener, unless there is a source already.
  func append(_ listener: any EventListener, orMake make: () -> EventSource?) {
    if let source { return source.append(listener) }
    guard let new = make() else { return }
    let first = held.storeIfNil(new)
    holds.store(true, ordering: .releasing)
    // Another listener was added first.
    if first !== new { first.append(listener) }
  }
}
