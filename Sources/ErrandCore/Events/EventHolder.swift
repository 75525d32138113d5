import Synchronization

/// The place of a client's event source, which comes with the first listener.
final class EventHolder: Sendable {
  private let held = AtomicLazyReference<EventSource>()

  init(_ source: EventSource?) {
    if let source { _ = held.storeIfNil(source) }
  }

  /// Nil if nothing listens.
  var source: EventSource? { held.load() }

  /// Adds a listener, which is told of the calls that begin from now on.
  /// - Parameter make: Makes the source with this listener, if there is none.
  func append(_ listener: any EventListener, orMake make: () -> EventSource?) {
    if let source { return source.append(listener) }
    guard let new = make() else { return }
    let first = held.storeIfNil(new)
    // Another listener was the first.
    if first !== new { first.append(listener) }
  }
}
