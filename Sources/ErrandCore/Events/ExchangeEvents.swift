/// Reports the steps of an attempt that only its transport sees to the listeners.
///
/// Call it from one thread at a time, and hold no lock, because listeners are called at once.
package struct ExchangeEvents: Sendable {
  private let events: CallEvents
  private let place: CallEvents.Place

  init(_ events: CallEvents, attempt: Int, redirects: Int) {
    self.events = events
    place = CallEvents.Place(attempt: attempt, redirects: redirects)
  }

  /// Reports that the host's name was resolved.
  /// - Parameter time: The time that the look-up took.
  package func resolved(in time: Duration) { events.transportTells(.resolved(time), place) }

  /// Reports that a connection was made.
  /// - Parameter time: The time since the end of the look-up.
  package func connected(in time: Duration) { events.transportTells(.connected(time), place) }

  /// Reports that the TLS handshake was completed.
  /// - Parameter time: The time since the connection was made.
  package func secured(in time: Duration) { events.transportTells(.secured(time), place) }

  /// Reports that an existing connection is reused.
  package func connectionReused() { events.transportTells(.connectionReused, place) }

  /// Reports the address that the connection leads to.
  /// - Parameter address: An IP address, without a port.
  package func reached(_ address: String) { events.transportTells(.reached(address: address), place) }

  /// Reports that the header fields were written to the connection.
  package func fieldsSent() { events.transportTells(.fieldsSent, place) }

  /// Reports that the complete body was written to the connection.
  /// - Parameter bytes: The length of the body in bytes.
  package func bodySent(_ bytes: Int64) { events.transportTells(.bodySent(bytes), place) }

  /// Reports that the first byte of the response has arrived.
  package func firstByte() { events.transportTells(.firstByte, place) }
}
