import ErrandTesting
import Testing

@testable import ErrandCore

/// Random lives of random callers, against a simple model.
@Suite struct ShareStateRandomTests {
  private typealias State = ShareState<Int, Int, Int>

  private struct Waiting {
    let caller: Int
    let key: Int
    let flight: Int
    let place: State.Place
  }

  /// What a flight is known to be, from outside.
  private struct Known {
    let id: State.FlightID
    let key: Int
    let began: Duration
    let window: Duration
    var isOnTheWire = true
    var finishes = false
    var priority: Priority
  }

  @Test(arguments: 1...40)
  func `one flight a key, one outcome a caller, nothing left`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var state = State()
    var now = Duration.zero
    var ring: Duration?
    var waiting: [Waiting] = []
    var flights: [Int: Known] = [:]
    var outcomes: [Int: Int] = [:]
    var callers = 0

    func settle(_ caller: Int) { outcomes[caller, default: 0] += 1 }
    func hear(_ alarm: Duration?) {
      if let alarm { ring = min(ring ?? alarm, alarm) }
    }
    func end(_ flight: Int) {
      guard let known = flights[flight] else { return }
      let expected = waiting.filter { $0.flight == flight }.map(\.caller).sorted()
      let outcome: State.Outcome =
        flight % 3 == 0
        ? .failure(RequestError(.timedOut, message: "\(flight)", reachedServer: true)) : .success(flight)
      let finishing = state.finish(known.id, outcome, at: now)
      // A flight that was called off answers nobody.
      #expect(finishing.callers.values.sorted() == (known.isOnTheWire ? expected : []))
      for caller in finishing.callers.values { settle(caller) }
      waiting.removeAll { $0.flight == flight }
      flights[flight]?.isOnTheWire = false
      hear(finishing.alarm)
    }
    func leave(_ one: Waiting) {
      waiting.removeAll { $0.caller == one.caller }
      guard case .left(let caller, let calledOff) = state.leave(one.place) else {
        Issue.record("a caller who waits must be able to leave")
        return
      }
      #expect(caller == one.caller)
      settle(caller)
      let isLast = !waiting.contains { $0.flight == one.flight }
      let finishes = flights[one.flight]?.finishes == true
      #expect(calledOff == (isLast && !finishes ? one.flight : nil))
      if calledOff != nil { flights[one.flight]?.isOnTheWire = false }
    }

    for _ in 0..<1500 {
      now += .milliseconds(Int.random(in: 0...80, using: &random))
      if let due = ring, due <= now { ring = state.expire(at: now) }
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<6:
        callers += 1
        let (caller, key) = (callers, Int.random(in: 0..<4, using: &random))
        let policy = SharingPolicy(
          window: .milliseconds([0, 200, 1000].randomElement(using: &random) ?? 0),
          failures: Bool.random(using: &random) ? .replayed : .triedAgain,
          whenAbandoned: Int.random(in: 0..<5, using: &random) == 0 ? .finishes : .calledOff)
        let priority = Priority.allCases.randomElement(using: &random) ?? .default
        let onTheWire = flights.filter { $0.value.key == key && $0.value.isOnTheWire }
        switch state.join(
          RequestKey(key), caller, policy, priority: priority, at: now, makeFlight: { caller })
        {
        case .lead(let place, let flight):
          #expect(onTheWire.isEmpty)
          flights[flight] = Known(
            id: place.flight, key: key, began: now, window: policy.window,
            finishes: policy.whenAbandoned == .finishes, priority: priority)
          waiting.append(Waiting(caller: caller, key: key, flight: flight, place: place))
        case .join(let place, let flight, let raise):
          #expect(onTheWire.keys.map(\.self) == [flight])
          #expect(raise == onTheWire[flight].flatMap { $0.priority < priority ? priority : nil })
          if let raise { flights[flight]?.priority = raise }
          if policy.whenAbandoned == .finishes { flights[flight]?.finishes = true }
          waiting.append(Waiting(caller: caller, key: key, flight: flight, place: place))
        case .answer(let outcome):
          #expect(onTheWire.isEmpty)
          let (flight, failed) =
            switch outcome {
            case .success(let flight): (flight, false)
            case .failure(let error): (Int((error as? RequestError)?.message ?? "") ?? 0, true)
            }
          if let known = flights[flight] {
            #expect(known.key == key)
            #expect(now - known.began < min(known.window, policy.window))
          } else {
            Issue.record("an answer from nowhere")
          }
          #expect(!(failed && policy.failures == .triedAgain))
          settle(caller)
        }
      case 6..<8:
        if let one = waiting.randomElement(using: &random) { leave(one) }
      default:
        if let flight = flights.keys.sorted().suffix(12).randomElement(using: &random) { end(flight) }
      }
    }
    for flight in flights.keys.sorted() { end(flight) }
    #expect(waiting.isEmpty)
    while let due = ring { ring = state.expire(at: due) }
    #expect(state.isEmpty)
    #expect(outcomes.count == callers)
    #expect(outcomes.values.allSatisfy { $0 == 1 })
  }

  @Test(arguments: 1...10)
  func `within a window of answers that come quickly one flight is sent`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var state = State()
    var flights: [Duration] = []
    var flying: State.FlightID?
    for millisecond in 0..<20_000 {
      let now = Duration.milliseconds(millisecond)
      if Int.random(in: 0..<20, using: &random) == 0, let flight = flying {
        _ = state.finish(flight, .success(1), at: now)
        flying = nil
      }
      let joining = state.join(
        "key", millisecond, SharingPolicy(window: .seconds(3)), priority: .default, at: now, makeFlight: { 0 }
      )
      if case .lead(let place, _) = joining {
        if let last = flights.last { #expect(now - last >= .seconds(3)) }
        flights.append(now)
        flying = place.flight
      }
    }
    #expect(6...7 ~= flights.count)
  }
}
