import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A server that does what draft-ietf-httpapi-idempotency-key-header says: who comes again with a key gets the first
/// answer again, 409 while that is still being worked on, and 422 if the request is another one.
final class IdempotentServer: Sendable {
  /// A request that has reached it.
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
    /// The answer that it gives again, and when it is there.
    var answer: SimulatedAnswer?
    var done = Duration.zero
  }

  private struct State {
    var arrivals: [Arrival] = []
    var known: [String: Known] = [:]
    var random: SeededRandom
    /// True until all is well: then the hosts that are in trouble are.
    var isInTrouble = true
  }

  private let state: Locked<State>
  private let natures: [String: OutboxHost.Nature]

  init(_ random: SeededRandom, _ hosts: [OutboxHost]) {
    state = Locked(State(random: random))
    natures = Dictionary(hosts.map { ($0.name, $0.nature) }) { first, _ in first }
  }

  /// From now on no portal is in the way, and answers are whole.
  func recover() { state.withLock { $0.isInTrouble = false } }

  var arrivals: [Arrival] { state.withLock { $0.arrivals } }

  func answer(_ arrived: SimulatedTry) -> SimulatedAnswer {
    let (time, text) = (arrived.seen ?? arrived.began, arrived.text)
    let host = natures[arrived.host]
    return state.withLock { state in
      if arrived.host == OutboxHost.portal { return SimulatedAnswer(text: "done: please log in first") }
      if host == .portal && state.isInTrouble {
        return SimulatedAnswer(status: 302, fields: ["Location": "http://\(OutboxHost.portal)/"])
      }
      let key = arrived.fields["Idempotency-Key"] ?? ""
      let answer = Self.answer(to: key, text, OutboxAsk.Nature(path: arrived.path), at: time, &state)
      state.arrivals.append(
        Arrival(time: time, ask: arrived.ask ?? -1, key: key, text: text, status: answer.status))
      guard host == .short && state.isInTrouble else { return answer }
      var short = answer
      short.fields["Content-Length"] = "\(short.body.count)"
      short.body = Data(short.body.prefix(short.body.count / 2))
      return short
    }
  }

  private static func answer(
    to key: String, _ text: String, _ nature: OutboxAsk.Nature, at time: Duration, _ state: inout State
  ) -> SimulatedAnswer {
    var known = state.known[key] ?? Known(text: text)
    guard known.text == text else { return SimulatedAnswer(status: 422) }
    if let answer = known.answer { return time < known.done ? SimulatedAnswer(status: 409) : answer }
    known.arrivals += 1
    defer { state.known[key] = known }
    switch nature {
    case .troublesome where known.arrivals <= 2: return SimulatedAnswer(status: 503)
    case .refusedOnce where known.arrivals == 1: return SimulatedAnswer(status: 400)
    case .poisoned: return SimulatedAnswer(status: 400)
    default:
      let answer = SimulatedAnswer(text: "done: \(text.prefix(20))")
      known.answer = answer
      known.done = time + state.random.milliseconds(0...1500)
      return answer
    }
  }
}
