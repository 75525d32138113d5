import Synchronization

/// The place of a client's event source, which comes with the first listener.
final class EventHolder: Sendable {
  private let held = AtomicLazyReference<EventSource>()
  /// Asked first: each look at `held` goes by way of the type's description at run time.
  private let holds: Atomic<Bool>

  init(_ source: EventSource?) {
    if let source { _ = held.storeIfNil(source) }
    holds = Atomic(source != nil)
  }

  /// Nil if nothing listens.
  var source: EventSource? { holds.load(ordering: .acquiring) ? held.load() : nil }

  /// Adds a listener, which is told of the calls that begin from now on.
  /// - Parameter make: Makes the source with this listener, if there is none.
  func append(_ listener: any EventListener, orMake make: () -> EventSource?) {
    if let source { return source.append(listener) }
    guard let new = make() else { return }
    let first = held.storeIfNil(new)
    holds.store(true, ordering: .releasing)
    // Another listener was the first.
    if first !== new { first.append(listener) }
  }
}
