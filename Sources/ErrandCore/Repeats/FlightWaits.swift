/// Which flights wait for which: an interceptor of one may send a request that shares another. Pure; one for all clients,
/// because two of them may ask each other.
///
/// No wait is begun that would close a circle, for nothing in a circle ever ends. Only what an interceptor's own task sends
/// is known to be sent for its flight's sake.
struct FlightWaits: Sendable {
  /// For each flight those that it waits for, and how many times.
  private var waits: [ObjectIdentifier: [ObjectIdentifier: Int]] = [:]

  var isEmpty: Bool { waits.isEmpty }

  /// Returns false, and has changed nothing, if the other is this one, or waits for it already, if only by way of others.
  mutating func begin(_ flight: ObjectIdentifier, for other: ObjectIdentifier) -> Bool {
    if reaches(flight, from: other) { return false }
    waits[flight, default: [:]][other, default: 0] += 1
    return true
  }

  mutating func end(_ flight: ObjectIdentifier, for other: ObjectIdentifier) {
    guard let count = waits[flight]?[other] else { return }
    waits[flight]?[other] = count > 1 ? count - 1 : nil
    if waits[flight]?.isEmpty == true { waits[flight] = nil }
  }

  private func reaches(_ goal: ObjectIdentifier, from start: ObjectIdentifier) -> Bool {
    var (open, seen) = ([start], Set([start]))
    while let flight = open.popLast() {
      if flight == goal { return true }
      for next in waits[flight, default: [:]].keys where seen.insert(next).inserted { open.append(next) }
    }
    return false
  }
}
