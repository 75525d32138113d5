import TestSupport
import Testing

@testable import ErrandCore

/// Every transition of the state diagram.
@Suite struct ShareStateTests {
  private typealias State = ShareState<String, Int, Int>

  /// How a caller joined, as simple values.
  private enum Joined: Equatable {
    case leads(inFlightRequest: Int)
    case joins(inFlightRequest: Int, raise: Priority?)
    case gets(String)
    case failsWith(RequestError.Code?)
  }

  private struct Scene {
    var state = State()
    var inFlightRequests = 0
    var places: [Int: State.Place] = [:]

    mutating func join(
      _ caller: Int, _ policy: SharingPolicy = SharingPolicy(window: .seconds(3)),
      priority: Priority = .default, at now: Duration
    ) -> Joined {
      let next = inFlightRequests + 1
      switch state.join("key", caller, policy, priority: priority, at: now, makeFlight: { next }) {
      case .lead(let place, let inFlightRequest):
        inFlightRequests = next
        places[caller] = place
        return .leads(inFlightRequest: inFlightRequest)
      case .join(let place, let inFlightRequest, let raise):
        places[caller] = place
        return .joins(inFlightRequest: inFlightRequest, raise: raise?.priority)
      case .response(.success(let response)): return .gets(response)
      case .response(.failure(let error)): return .failsWith((error as? RequestError)?.code)
      }
    }

    /// Ends the in-flight request of `caller`. Returns the callers that receive its outcome.
    mutating func finish(_ caller: Int, _ outcome: State.Outcome = .success("response"), at now: Duration)
      -> [Int]
    {
      guard let place = places[caller] else { return [] }
      return state.finish(place.inFlightRequest, outcome, at: now).callers.sorted()
    }

    /// Returns the caller that left, and the in-flight request that is cancelled.
    mutating func leave(_ caller: Int) -> [Int?]? {
      guard let place = places[caller], case .left(let left, let inFlightRequest, _) = state.leave(place)
      else {
        return nil
      }
      return [left, inFlightRequest]
    }

    func phase(at now: Duration) -> State.Phase { state.phase(of: "key", within: .seconds(100), at: now) }
  }

  private static func failure(_ code: RequestError.Code) -> State.Outcome {
    .failure(RequestError(code, message: "", reachedServer: true))
  }

  @Test func `without a request the first caller leads`() {
    var scene = Scene()
    #expect(scene.phase(at: .zero) == .overHere)
    let first = scene.join(1, at: .zero)
    #expect(first == .leads(inFlightRequest: 1))
    #expect(scene.phase(at: .zero) == .openPending)
  }

  @Test func `while the window is open, a caller joins a pending request and gets its response`() {
    var scene = Scene()
    _ = scene.join(1, at: .zero)
    let second = scene.join(2, at: .seconds(1))
    #expect(second == .joins(inFlightRequest: 1, raise: nil))
    #expect(scene.phase(at: .seconds(1)) == .openPending)
    let responded = scene.finish(1, at: .seconds(2))
    #expect(responded == [1, 2])
  }

  @Test func `while the window is open, a caller gets a response that has arrived at once`() {
    var scene = Scene()
    _ = scene.join(1, at: .zero)
    let responded = scene.finish(1, at: .seconds(1))
    #expect(responded == [1])
    #expect(scene.phase(at: .milliseconds(2999)) == .openHere)
    let second = scene.join(2, at: .milliseconds(2999))
    #expect(second == .gets("response"))
    #expect(scene.inFlightRequests == 1)
  }

  @Test func `after the window a caller joins a pending request, and the next after the response leads`() {
    var scene = Scene()
    _ = scene.join(1, at: .zero)
    #expect(scene.phase(at: .seconds(3)) == .overPending)
    let second = scene.join(2, at: .seconds(60))
    #expect(second == .joins(inFlightRequest: 1, raise: nil))
    let responded = scene.finish(1, at: .seconds(61))
    #expect(responded == [1, 2])
    #expect(scene.phase(at: .seconds(61)) == .overHere)
    #expect(scene.state.isEmpty)
    let third = scene.join(3, at: .seconds(61))
    #expect(third == .leads(inFlightRequest: 2))
  }

  @Test func `after the window a new caller leads, whether or not the old response is forgotten`() {
    var scene = Scene()
    _ = scene.join(1, at: .zero)
    _ = scene.finish(1, at: .seconds(1))
    #expect(scene.phase(at: .seconds(3)) == .overHere)
    let second = scene.join(2, at: .seconds(3))
    #expect(second == .leads(inFlightRequest: 2))
    _ = scene.finish(2, at: .seconds(4))
    let next = scene.state.expire(at: .milliseconds(3100))
    #expect(next == .milliseconds(6100))
    #expect(scene.phase(at: .milliseconds(3100)) == .openHere)
    let last = scene.state.expire(at: .milliseconds(6100))
    #expect(last == nil)
    #expect(scene.state.isEmpty)
    let third = scene.join(3, at: .milliseconds(6100))
    #expect(third == .leads(inFlightRequest: 3))
  }

  @Test func `within the window a request is cancelled and forgotten when its last caller leaves`() {
    var scene = Scene()
    _ = scene.join(1, at: .zero)
    _ = scene.join(2, at: .zero)
    let first = scene.leave(1)
    #expect(first == [1, nil])
    let again = scene.leave(1)
    #expect(again == nil)
    let last = scene.leave(2)
    #expect(last == [2, 1])
    #expect(scene.state.isEmpty)
    let third = scene.join(3, at: .seconds(1))
    #expect(third == .leads(inFlightRequest: 2))
    let late = scene.finish(1, at: .seconds(1))
    #expect(late == [])
    #expect(scene.phase(at: .seconds(1)) == .openPending)
    let responded = scene.finish(3, at: .seconds(2))
    #expect(responded == [3])
  }

  @Test func `after the window a request is cancelled when its last caller leaves`() {
    var scene = Scene()
    _ = scene.join(1, at: .zero)
    #expect(scene.phase(at: .seconds(9)) == .overPending)
    let last = scene.leave(1)
    #expect(last == [1, 1])
    #expect(scene.state.isEmpty)
  }

  @Test func `the first caller can leave while the others stay`() {
    var scene = Scene()
    _ = scene.join(1, at: .zero)
    _ = scene.join(2, at: .zero)
    _ = scene.leave(1)
    let responded = scene.finish(1, at: .seconds(1))
    #expect(responded == [2])
  }

  @Test func `a caller that has its response can no longer leave`() {
    var scene = Scene()
    _ = scene.join(1, at: .zero)
    _ = scene.finish(1, at: .seconds(1))
    let left = scene.leave(1)
    #expect(left == nil)
    #expect(scene.phase(at: .seconds(1)) == .openHere)
  }

  @Test func `a second end of a request has no effect`() {
    var scene = Scene()
    _ = scene.join(1, at: .zero)
    _ = scene.finish(1, at: .seconds(1))
    let again = scene.finish(1, .success("other"), at: .seconds(1))
    #expect(again == [])
    let second = scene.join(2, at: .seconds(1))
    #expect(second == .gets("response"))
  }

  @Test func `a request finishes if any caller asked for that, even a caller that has left`() {
    var scene = Scene()
    let finishes = SharingPolicy(window: .seconds(3), whenAbandoned: .finishes)
    _ = scene.join(1, at: .zero)
    _ = scene.join(2, finishes, at: .zero)
    let one = scene.leave(2)
    #expect(one == [2, nil])
    let other = scene.leave(1)
    #expect(other == [1, nil])
    let third = scene.join(3, at: .seconds(1))
    #expect(third == .joins(inFlightRequest: 1, raise: .default))
    _ = scene.leave(3)
    let responded = scene.finish(1, at: .seconds(2))
    #expect(responded == [])
    let fourth = scene.join(4, at: .seconds(2))
    #expect(fourth == .gets("response"))
  }

  @Test func `without a window only waiting callers get the response`() {
    var scene = Scene()
    let policy = SharingPolicy()
    _ = scene.join(1, policy, at: .zero)
    #expect(scene.phase(at: .zero) == .overPending)
    let second = scene.join(2, policy, at: .zero)
    #expect(second == .joins(inFlightRequest: 1, raise: nil))
    let responded = scene.finish(1, at: .zero)
    #expect(responded == [1, 2])
    #expect(scene.state.isEmpty)
    let third = scene.join(3, policy, at: .zero)
    #expect(third == .leads(inFlightRequest: 2))
  }

  @Test func `a caller with a shorter window does not get an older response`() {
    var scene = Scene()
    _ = scene.join(1, SharingPolicy(window: .seconds(10)), at: .zero)
    _ = scene.finish(1, at: .seconds(1))
    let patient = scene.join(2, SharingPolicy(window: .seconds(60)), at: .seconds(5))
    #expect(patient == .gets("response"))
    let eager = scene.join(3, SharingPolicy(window: .seconds(5)), at: .seconds(5))
    #expect(eager == .leads(inFlightRequest: 2))
    let joining = scene.join(4, SharingPolicy(window: .seconds(60)), at: .seconds(11))
    #expect(joining == .joins(inFlightRequest: 2, raise: nil))
  }

  @Test func `all waiting callers get a failure, and a later caller gets it or retries, by its policy`() {
    var scene = Scene()
    _ = scene.join(1, at: .zero)
    _ = scene.join(2, SharingPolicy(window: .seconds(3), failures: .retried), at: .zero)
    let responded = scene.finish(1, Self.failure(.timedOut), at: .seconds(1))
    #expect(responded == [1, 2])
    let replayed = scene.join(3, at: .seconds(1))
    #expect(replayed == .failsWith(.timedOut))
    let again = scene.join(4, SharingPolicy(window: .seconds(3), failures: .retried), at: .seconds(1))
    #expect(again == .leads(inFlightRequest: 2))
  }

  @Test func `a success is not retried`() {
    var scene = Scene()
    _ = scene.join(1, at: .zero)
    _ = scene.finish(1, at: .seconds(1))
    let second = scene.join(2, SharingPolicy(window: .seconds(3), failures: .retried), at: .seconds(1))
    #expect(second == .gets("response"))
  }

  @Test(arguments: [failure(.cancelled), .failure(CancellationError())])
  private func `a cancelled request leaves nothing behind`(
    outcome: ShareState<String, Int, Int>.Outcome
  ) {
    var scene = Scene()
    _ = scene.join(1, at: .zero)
    let responded = scene.finish(1, outcome, at: .seconds(1))
    #expect(responded == [1])
    #expect(scene.state.isEmpty)
    let second = scene.join(2, at: .seconds(1))
    #expect(second == .leads(inFlightRequest: 2))
  }

  @Test func `a request is raised when a caller with a higher priority joins`() {
    var scene = Scene()
    _ = scene.join(1, priority: .utility, at: .zero)
    let less = scene.join(2, priority: .background, at: .zero)
    #expect(less == .joins(inFlightRequest: 1, raise: nil))
    let more = scene.join(3, priority: .userInitiated, at: .zero)
    #expect(more == .joins(inFlightRequest: 1, raise: .userInitiated))
    let same = scene.join(4, priority: .userInitiated, at: .zero)
    #expect(same == .joins(inFlightRequest: 1, raise: nil))
  }

  @Test func `a request falls back to the highest priority of the remaining callers`() throws {
    var scene = Scene()
    for (caller, priority) in [(1, Priority.utility), (2, .userInitiated), (3, .background), (4, .utility)] {
      _ = scene.join(caller, priority: priority, at: .zero)
    }
    func level(_ caller: Int, _ scene: inout Scene) throws -> State.Level? {
      guard case .left(_, nil, let level) = scene.state.leave(try #require(scene.places[caller])) else {
        Issue.record("the caller \(caller) had already left")
        return nil
      }
      return level
    }
    let first = try #require(try level(2, &scene))
    #expect(first.priority == .utility)
    let second = try #require(try level(1, &scene))
    #expect(second.priority == .utility)
    #expect(second.number > first.number)
    let changed = scene.state.change(try #require(scene.places[3]), to: .default)
    #expect(changed?.priority == .default)
    let third = try #require(try level(3, &scene))
    #expect(third.priority == .utility)
    // A caller that has left has no effect.
    _ = scene.state.change(try #require(scene.places[2]), to: .userInitiated)
    let last = scene.state.change(try #require(scene.places[4]), to: .background)
    #expect(last?.priority == .background)
  }

  @Test func `keys are independent`() {
    var scene = Scene()
    _ = scene.join(1, at: .zero)
    let other = scene.state.join("other", 2, SharingPolicy(), priority: .default, at: .zero) { 7 }
    guard case .lead(_, 7) = other else {
      Issue.record("expected a separate in-flight request")
      return
    }
  }

  @Test(.computesLong) func `retried failures within a long window do not accumulate`() {
    var scene = Scene()
    let policy = SharingPolicy(window: .seconds(3600), failures: .retried)
    for caller in 0..<10_000 {
      _ = scene.join(caller, policy, at: .zero)
      _ = scene.finish(caller, Self.failure(.timedOut), at: .zero)
      #expect(scene.state.deadlines <= 70)
    }
    let next = scene.state.expire(at: .seconds(3600))
    #expect(next == nil)
    #expect(scene.state.isEmpty)
  }
}
