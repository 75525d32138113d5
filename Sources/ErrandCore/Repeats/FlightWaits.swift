/// Tracks which in-flight requests wait for which others: an interceptor of one may send a request that
/// shares another. Pure; one instance for all clients, because requests of two clients may wait for each
/// other.
///
/// A wait that would close a cycle is refused, because a cycle never ends. Only requests that an interceptor
/// sends in its own task are known to be sent on behalf of its in-flight request.
struct FlightWaits: Sendable {
  /// For each in-flight request those that it waits for, and how often.
  private var waits: [ObjectIdentifier: [ObjectIdentifier: Int]] = [:]

  var isEmpty: Bool { waits.isEmpty }

  /// Begins a wait. Returns false, and changes nothing, if both are the same, or if the other waits for this
  /// one, directly or through others.
  mutating func begin(_ inFlightRequest: ObjectIdentifier, for other: ObjectIdentifier) -> Bool {
    if reaches(inFlightRequest, from: other) { return false }
    waits[inFlightRequest, default: [:]][other, default: 0] += 1
    return true
  }

  mutating func end(_ inFlightRequest: ObjectIdentifier, for other: ObjectIdentifier) {
    guard let count = waits[inFlightRequest]?[other] else { return }
    waits[inFlightRequest]?[other] = count > 1 ? count - 1 : nil
    if waits[inFlightRequest]?.isEmpty == true { waits[inFlightRequest] = nil }
  }

  private func reaches(_ goal: ObjectIdentifier, from start: ObjectIdentifier) -> Bool {
    var (open, seen) = ([start], Set([start]))
    while let inFlightRequest = open.popLast() {
      if inFlightRequest == goal { return true }
      for next in waits[inFlightRequest, default: [:]].keys where seen.insert(next).inserted {
        open.append(next)
      }
    }
    return false
  }
}
