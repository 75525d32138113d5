import ErrandTesting
import TestSupport
import Testing

@testable import ErrandCore

/// Random sequences of callers, compared with a simple model.
@Suite(.computesLong) struct ShareStateRandomTests {
  private typealias State = ShareState<Int, Int, Int>

  private struct Waiting {
    let caller: Int
    let key: Int
    let inFlightRequest: Int
    let place: State.Place
    var priority: Priority
  }

  /// The model of an in-flight request.
  private struct Known {
    let id: State.InFlightID
    let key: Int
    let began: Duration
    let window: Duration
    var isOnTheWire = true
    var finishes = false
  }

  @Test(arguments: 1...40)
  func `a key has at most one in-flight request, a caller has one outcome, and nothing remains`(seed: UInt64)
  {
    var random = SeededRandom(seed: seed)
    var state = State()
    var now = Duration.zero
    var ring: Duration?
    var waiting: [Waiting] = []
    var inFlightRequests: [Int: Known] = [:]
    var outcomes: [Int: Int] = [:]
    var callers = 0

    func highest(_ inFlightRequest: Int) -> Priority? {
      waiting.filter { $0.inFlightRequest == inFlightRequest }.map(\.priority).max()
    }
    func settle(_ caller: Int) { outcomes[caller, default: 0] += 1 }
    func hear(_ timer: Duration?) {
      if let timer { ring = min(ring ?? timer, timer) }
    }
    func end(_ inFlightRequest: Int) {
      guard let known = inFlightRequests[inFlightRequest] else { return }
      let expected = waiting.filter { $0.inFlightRequest == inFlightRequest }.map(\.caller).sorted()
      let outcome: State.Outcome =
        inFlightRequest % 3 == 0
        ? .failure(RequestError(.timedOut, message: "\(inFlightRequest)", reachedServer: true))
        : .success(inFlightRequest)
      let finishing = state.finish(known.id, outcome, at: now)
      // A cancelled request has no callers left.
      #expect(finishing.callers.sorted() == (known.isOnTheWire ? expected : []))
      for caller in finishing.callers { settle(caller) }
      waiting.removeAll { $0.inFlightRequest == inFlightRequest }
      inFlightRequests[inFlightRequest]?.isOnTheWire = false
      hear(finishing.timer)
    }
    func leave(_ one: Waiting) {
      waiting.removeAll { $0.caller == one.caller }
      guard case .left(let caller, let cancelled, let level) = state.leave(one.place) else {
        Issue.record("a waiting caller must be able to leave")
        return
      }
      #expect(caller == one.caller)
      settle(caller)
      let isLast = !waiting.contains { $0.inFlightRequest == one.inFlightRequest }
      let finishes = inFlightRequests[one.inFlightRequest]?.finishes == true
      #expect(cancelled == (isLast && !finishes ? one.inFlightRequest : nil))
      #expect(level?.priority == highest(one.inFlightRequest))
      if cancelled != nil { inFlightRequests[one.inFlightRequest]?.isOnTheWire = false }
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
          failures: Bool.random(using: &random) ? .replayed : .retried,
          whenAbandoned: Int.random(in: 0..<5, using: &random) == 0 ? .finishes : .cancelled)
        let priority = Priority.allCases.randomElement(using: &random) ?? .default
        let onTheWire = inFlightRequests.filter { $0.value.key == key && $0.value.isOnTheWire }
        switch state.join(
          RequestKey(key), caller, policy, priority: priority, at: now, makeFlight: { caller })
        {
        case .lead(let place, let inFlightRequest):
          #expect(onTheWire.isEmpty)
          inFlightRequests[inFlightRequest] = Known(
            id: place.inFlightRequest, key: key, began: now, window: policy.window,
            finishes: policy.whenAbandoned == .finishes)
          waiting.append(
            Waiting(
              caller: caller, key: key, inFlightRequest: inFlightRequest, place: place, priority: priority))
        case .join(let place, let inFlightRequest, let raise):
          #expect(onTheWire.keys.map(\.self) == [inFlightRequest])
          let before = highest(inFlightRequest)
          #expect(raise?.priority == (before.map { $0 < priority } ?? true ? priority : nil))
          if policy.whenAbandoned == .finishes { inFlightRequests[inFlightRequest]?.finishes = true }
          waiting.append(
            Waiting(
              caller: caller, key: key, inFlightRequest: inFlightRequest, place: place, priority: priority))
        case .response(let outcome):
          #expect(onTheWire.isEmpty)
          let (inFlightRequest, failed) =
            switch outcome {
            case .success(let inFlightRequest): (inFlightRequest, false)
            case .failure(let error): (Int((error as? RequestError)?.message ?? "") ?? 0, true)
            }
          if let known = inFlightRequests[inFlightRequest] {
            #expect(known.key == key)
            #expect(now - known.began < min(known.window, policy.window))
          } else {
            Issue.record("a response without a request")
          }
          #expect(!(failed && policy.failures == .retried))
          settle(caller)
        }
      case 6:
        guard let index = waiting.indices.randomElement(using: &random) else { continue }
        waiting[index].priority = Priority.allCases.randomElement(using: &random) ?? .default
        let level = state.change(waiting[index].place, to: waiting[index].priority)
        #expect(level?.priority == highest(waiting[index].inFlightRequest))
      case 7..<8:
        if let one = waiting.randomElement(using: &random) { leave(one) }
      default:
        if let inFlightRequest = inFlightRequests.keys.sorted().suffix(12).randomElement(using: &random) {
          end(inFlightRequest)
        }
      }
    }
    for inFlightRequest in inFlightRequests.keys.sorted() { end(inFlightRequest) }
    #expect(waiting.isEmpty)
    while let due = ring { ring = state.expire(at: due) }
    #expect(state.isEmpty)
    #expect(outcomes.count == callers)
    #expect(outcomes.values.allSatisfy { $0 == 1 })
  }

  @Test(arguments: 1...10)
  func `one request is sent in each window if responses arrive quickly`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var state = State()
    var inFlightRequests: [Duration] = []
    var flying: State.InFlightID?
    for millisecond in 0..<20_000 {
      let now = Duration.milliseconds(millisecond)
      if Int.random(in: 0..<20, using: &random) == 0, let inFlightRequest = flying {
        _ = state.finish(inFlightRequest, .success(1), at: now)
        flying = nil
      }
      let joining = state.join(
        "key", millisecond, SharingPolicy(window: .seconds(3)), priority: .default, at: now, makeFlight: { 0 }
      )
      if case .lead(let place, _) = joining {
        if let last = inFlightRequests.last { #expect(now - last >= .seconds(3)) }
        inFlightRequests.append(now)
        flying = place.inFlightRequest
      }
    }
    #expect(6...7 ~= inFlightRequests.count)
  }
}
