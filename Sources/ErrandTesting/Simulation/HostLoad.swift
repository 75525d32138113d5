/// The tries to one host of a `SimulatedNetwork`.
public struct HostLoad: Sendable, Hashable {
  public private(set) var inFlight = 0
  /// The most that were in flight at once.
  public private(set) var mostInFlight = 0

  mutating func begin() {
    inFlight += 1
    mostInFlight = max(mostInFlight, inFlight)
  }

  mutating func end() { inFlight -= 1 }
}
