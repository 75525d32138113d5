/// The load of one host of a `SimulatedNetwork`, in attempts.
public struct HostLoad: Sendable, Hashable {
  public private(set) var inFlight = 0
  /// The highest number of attempts that were in flight at once.
  public private(set) var mostInFlight = 0

  mutating func begin() {
    inFlight += 1
    mostInFlight = max(mostInFlight, inFlight)
  }

  mutating func end() { inFlight -= 1 }
}
