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
