import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A server that implements draft-ietf-httpapi-idempotency-key-header: a request that repeats a key gets the
/// first response again, 409 while that is not complete, and 422 if the request is different.
final class IdempotentServer: Sendable {
  /// A request that has reached the server.
  struct Arrival: Sendable {
    let time: Duration
    let ask: Int
    let key: String
    let text: String
    let status: Int
  }

  private struct Known {
    let text: String
    var arrivals = 0
    /// The response that is repeated; it is complete at `done`.
    var response: SimulatedResponse?
    var done = Duration.zero
  }

  private struct State {
    var arrivals: [Arrival] = []
    var known: [String: Known] = [:]
    var random: SeededRandom
    /// True until faults end: portals and short responses end then, too.
    var isInTrouble = true
  }

  private let state: Locked<State>
  private let natures: [String: OutboxHost.Nature]

  init(_ random: SeededRandom, _ hosts: [OutboxHost]) {
    state = Locked(State(random: random))
    natures = Dictionary(hosts.map { ($0.name, $0.nature) }) { first, _ in first }
  }

  /// Ends portals and short responses.
  func recover() { state.withLock { $0.isInTrouble = false } }

  var arrivals: [Arrival] { state.withLock { $0.arrivals } }

  func response(_ arrived: SimulatedAttempt) -> SimulatedResponse {
    let (time, text) = (arrived.seen ?? arrived.began, arrived.text)
    let host = natures[arrived.host]
    return state.withLock { state in
      if arrived.host == OutboxHost.portal { return SimulatedResponse(text: "done: please log in first") }
      if host == .portal && state.isInTrouble {
        return SimulatedResponse(status: 302, fields: ["Location": "http://\(OutboxHost.portal)/"])
      }
      let key = arrived.fields["Idempotency-Key"] ?? ""
      let response = Self.response(to: key, text, OutboxAsk.Nature(path: arrived.path), at: time, &state)
      state.arrivals.append(
        Arrival(time: time, ask: arrived.ask ?? -1, key: key, text: text, status: response.status))
      guard host == .short && state.isInTrouble else { return response }
      var short = response
      short.fields["Content-Length"] = "\(short.body.count)"
      short.body = Data(short.body.prefix(short.body.count / 2))
      return short
    }
  }

  private static func response(
    to key: String, _ text: String, _ nature: OutboxAsk.Nature, at time: Duration, _ state: inout State
  ) -> SimulatedResponse {
    var known = state.known[key] ?? Known(text: text)
    guard known.text == text else { return SimulatedResponse(status: 422) }
    if let response = known.response { return time < known.done ? SimulatedResponse(status: 409) : response }
    known.arrivals += 1
    defer { state.known[key] = known }
    switch nature {
    case .troublesome where known.arrivals <= 2: return SimulatedResponse(status: 503)
    case .refusedOnce where known.arrivals == 1: return SimulatedResponse(status: 400)
    case .poisoned: return SimulatedResponse(status: 400)
    default:
      let response = SimulatedResponse(text: "done: \(text.prefix(20))")
      known.response = response
      known.done = time + state.random.milliseconds(0...1500)
      return response
    }
  }
}
