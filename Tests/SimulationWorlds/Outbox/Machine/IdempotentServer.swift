import ErrandCore
import ErrandTesting

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
  }

  private let state: Locked<State>

  init(_ random: SeededRandom) { state = Locked(State(random: random)) }

  var arrivals: [Arrival] { state.withLock { $0.arrivals } }

  func answer(_ arrived: SimulatedTry) -> SimulatedAnswer {
    let (time, text) = (arrived.seen ?? arrived.began, arrived.text)
    return state.withLock { state in
      let key = arrived.fields["Idempotency-Key"] ?? ""
      let answer = Self.answer(to: key, text, OutboxAsk.Nature(path: arrived.path), at: time, &state)
      state.arrivals.append(
        Arrival(time: time, ask: arrived.ask ?? -1, key: key, text: text, status: answer.status))
      return answer
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
