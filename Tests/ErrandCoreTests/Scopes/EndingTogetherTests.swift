import ErrandTesting
import Testing

@testable import ErrandCore

/// Whoever hears that one was called off, and goes on in its place, must not be one that is to be called off next.
@Suite struct EndingTogetherTests {
  private let signals = (0..<3).map { _ in StopSignal() }
  private let told = EventLog()

  /// Notes for each, when it hears of its end, how many have ended by then.
  private func listen() {
    for signal in signals {
      _ = signal.onStop { [signals, told] in told.note("\(signals.count { $0.stopped != nil })") }
    }
  }

  @Test(arguments: [true, false])
  func `nothing in a scope, or below it, is told of its end before all have ended`(isForEver: Bool) throws {
    let page = RequestScope("page")
    let views = (0..<2).map { _ in RequestScope("view", in: page) }
    for (scope, signal) in zip([page] + views, signals) { _ = try scope.enter(signal) }
    listen()
    if isForEver { page.end() } else { page.cancelAll() }
    #expect(told.events == ["3", "3", "3"])
    withExtendedLifetime(views) {}
  }

  @Test(arguments: [true, false])
  func `nothing in a stack's pages is told of its end before all that leave have ended`(isWhole: Bool) throws
  {
    let stack = ScopeStack("stack")
    let root = stack.push("root")
    let page = stack.push("page")
    let over = stack.present("over").push("first")
    for (scope, signal) in zip([isWhole ? root : page, page, over], signals) { _ = try scope.enter(signal) }
    listen()
    if isWhole { stack.end() } else { stack.popToRoot() }
    #expect(told.events == ["3", "3", "3"])
  }

  /// Or one that waits for an older one might hear of that one's end before its own.
  @Test func `the newest is called off first, in a scope and in flight`() throws {
    let page = RequestScope("page")
    let inFlight = InFlight()
    for (number, signal) in signals.enumerated() {
      _ = try page.enter(signal)
      let other = StopSignal()
      _ = try inFlight.add(other)
      for signal in [signal, other] {
        _ = signal.onStop(preparing: { [told] _ in
          told.note("\(number)")
          return []
        })
      }
    }
    page.end()
    inFlight.stopAll(.cancelled(.clientShutDown))
    #expect(told.events == ["2", "1", "0", "2", "1", "0"])
  }

  @Test func `nothing in flight is told of a shutdown before all have ended`() throws {
    let inFlight = InFlight()
    for signal in signals { _ = try inFlight.add(signal) }
    listen()
    inFlight.stopAll(.cancelled(.clientShutDown))
    #expect(told.events == ["3", "3", "3"])
  }

  @Test func `what a scope's requests share has ended when the first of them is told`() async throws {
    let repeats = Repeats<Int>(Timeline(VirtualClock()))
    let (flights, depart) = AsyncStream.makeStream(of: Flight.self)
    let page = RequestScope("page")
    for signal in signals { _ = try page.enter(signal) }
    let sharing = signals[1...].map { signal in
      Task {
        try await repeats.share("key", SharingPolicy(), urgency: Urgency(.default), of: signal) { flight in
          depart.yield(flight)
          try await flight.signal.interrupting { try await StubGate().pass() }
          return 1
        }
      }
    }
    var departed = flights.makeAsyncIterator()
    let flight = try #require(await departed.next())
    while repeats.states.sharing.withLock({ $0.callers(of: "key") }) < 2 { await Task.yield() }
    _ = signals[0].onStop { [told] in told.note(flight.signal.stopped == nil ? "goes on" : "has ended") }
    page.end()
    #expect(told.events == ["has ended"])
    for task in sharing { await #expect(throws: RequestError.self) { try await task.value } }
  }
}
