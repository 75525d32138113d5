/// What a transport tells listeners of an attempt: the steps that only it sees.
///
/// It is told from one thread at a time, and under no lock: listeners are called at once.
public struct ExchangeEvents: Sendable {
  private let events: CallEvents
  private let place: CallEvents.Place

  init(_ events: CallEvents, attempt: Int, redirects: Int) {
    self.events = events
    place = CallEvents.Place(attempt: attempt, redirects: redirects)
  }

  /// Tells that the name of the host was looked up.
  public func resolved(in time: Duration) { events.transportTells(.resolved(time), place) }

  /// Tells that a connection was made.
  /// - Parameter time: Counted from the end of the look-up.
  public func connected(in time: Duration) { events.transportTells(.connected(time), place) }

  /// Tells that TLS was agreed upon.
  /// - Parameter time: Counted from the moment at which there was a connection.
  public func secured(in time: Duration) { events.transportTells(.secured(time), place) }

  /// Tells that a connection is used that was there.
  public func connectionReused() { events.transportTells(.connectionReused, place) }

  /// Tells where the connection leads.
  /// - Parameter address: An IP address, without a port.
  public func reached(_ address: String) { events.transportTells(.reached(address: address), place) }

  /// Tells that the header fields are on their way.
  public func fieldsSent() { events.transportTells(.fieldsSent, place) }

  /// Tells that the body is on its way whole.
  public func bodySent(_ bytes: Int64) { events.transportTells(.bodySent(bytes), place) }

  /// Tells that the first byte of the response is here.
  public func firstByte() { events.transportTells(.firstByte, place) }
}
