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
    var uploads: ResumableUploads
    var random: SeededRandom
    /// True until faults end: portals and short responses end then, too.
    var isInTrouble = true
  }

  private let state: Locked<State>
  private let natures: [String: OutboxHost.Nature]

  init(_ random: SeededRandom, _ hosts: [OutboxHost]) {
    var random = random
    let uploads = ResumableUploads(SeededRandom(seed: random.next()))
    state = Locked(State(uploads: uploads, random: random))
    natures = Dictionary(hosts.map { ($0.name, $0.nature) }) { first, _ in first }
  }

  /// Ends portals and short responses.
  func recover() { state.withLock { $0.isInTrouble = false } }

  /// The requests that have arrived whole.
  var arrivals: [Arrival] { state.withLock { $0.arrivals } }
  var uploads: [ResumableUploads.Upload] { state.withLock { $0.uploads.all } }

  func response(_ arrived: SimulatedAttempt) -> SimulatedResponse {
    let (time, text) = (arrived.seen ?? arrived.began, arrived.text)
    let host = natures[arrived.host]
    return state.withLock { state in
      if arrived.host == OutboxHost.portal { return SimulatedResponse(text: "done: please log in first") }
      if host == .portal && state.isInTrouble {
        return SimulatedResponse(status: 302, fields: ["Location": "http://\(OutboxHost.portal)/"])
      }
      let key = arrived.fields["Idempotency-Key"] ?? ""
      if let response = Self.upload(arrived, at: time, &state) { return response }
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

  /// Returns the response to a request of a resumable upload; nil for other requests.
  private static func upload(
    _ arrived: SimulatedAttempt, at time: Duration, _ state: inout State
  ) -> SimulatedResponse? {
    let response: SimulatedResponse
    let complete: ResumableUploads.Upload?
    if let place = ResumableUploads.place(arrived) {
      (response, complete) = state.uploads.respond(
        to: arrived, place, isInTrouble: state.isInTrouble, at: time)
    } else if ResumableUploads.isCreation(arrived) {
      let key = arrived.fields["Idempotency-Key"] ?? ""
      if let refusal = refusal(of: key, OutboxAsk.Nature(path: arrived.path), &state) { return refusal }
      (response, complete) = state.uploads.create(arrived, isInTrouble: state.isInTrouble)
    } else {
      return nil
    }
    if let complete {
      state.arrivals.append(
        Arrival(time: time, ask: complete.ask, key: complete.key, text: complete.content, status: 200))
    }
    return response
  }

  /// Returns the refusal of the creation of an upload; nil if the server creates it.
  private static func refusal(
    of key: String, _ nature: OutboxAsk.Nature, _ state: inout State
  ) -> SimulatedResponse? {
    let arrivals = state.known[key]?.arrivals ?? 0
    state.known[key, default: Known(text: "")].arrivals += 1
    return status(nature, arrivals: arrivals + 1).map { SimulatedResponse(status: $0) }
  }

  /// Returns the status with which the server refuses a request that arrives for this time; nil if it accepts it.
  private static func status(_ nature: OutboxAsk.Nature, arrivals: Int) -> Int? {
    switch nature {
    case .troublesome where arrivals <= 2: 503
    case .refusedOnce where arrivals == 1: 400
    case .poisoned: 400
    default: nil
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
    if let status = status(nature, arrivals: known.arrivals) { return SimulatedResponse(status: status) }
    let response = SimulatedResponse(text: "done: \(text.prefix(20))")
    known.response = response
    known.done = time + state.random.milliseconds(0...1500)
    return response
  }
}
