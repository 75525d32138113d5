import ErrandTesting
import Testing

@testable import ErrandCore

/// All members are cancelled before any listener is notified: a listener that hears of one cancellation and
/// starts a replacement must not be cancelled next.
@Suite struct EndingTogetherTests {
  private let cancellations = (0..<3).map { _ in CancellationToken() }
  private let told = EventLog()

  /// Records, for each token that hears of its end, how many tokens have ended by then.
  private func listen() {
    for cancellation in cancellations {
      _ = cancellation.onCancel { [cancellations, told] in
        told.note("\(cancellations.count { $0.cause != nil })")
      }
    }
  }

  @Test(arguments: [true, false])
  func `a scope ends all its members, nested ones included, before it notifies any of them`(isForEver: Bool)
    throws
  {
    let page = RequestScope("page")
    let views = (0..<2).map { _ in RequestScope("view", in: page) }
    for (scope, cancellation) in zip([page] + views, cancellations) { _ = try scope.enter(cancellation) }
    listen()
    if isForEver { page.end() } else { page.cancelAll() }
    #expect(told.events == ["3", "3", "3"])
    withExtendedLifetime(views) {}
  }

  @Test(arguments: [true, false])
  func `a stack ends the requests of all pages that leave before it notifies any of them`(isWhole: Bool)
    throws
  {
    let stack = ScopeStack("stack")
    let root = stack.push("root")
    let page = stack.push("page")
    let over = stack.present("over").push("first")
    for (scope, cancellation) in zip([isWhole ? root : page, page, over], cancellations) {
      _ = try scope.enter(cancellation)
    }
    listen()
    if isWhole { stack.end() } else { stack.popToRoot() }
    #expect(told.events == ["3", "3", "3"])
  }

  /// Otherwise a request that waits for an older one might hear of that request's end before its own.
  @Test func `the newest request is cancelled first, in a scope and in a shutdown`() throws {
    let page = RequestScope("page")
    let inFlight = InFlight()
    for (number, cancellation) in cancellations.enumerated() {
      _ = try page.enter(cancellation)
      let other = CancellationToken()
      _ = try inFlight.add(other)
      for cancellation in [cancellation, other] {
        _ = cancellation.onCancel(preparing: { [told] _ in
          told.note("\(number)")
          return []
        })
      }
    }
    page.end()
    inFlight.cancelAll(.cancelled(.clientShutDown))
    #expect(told.events == ["2", "1", "0", "2", "1", "0"])
  }

  @Test func `a shutdown ends all requests in flight before it notifies any of them`() throws {
    let inFlight = InFlight()
    for cancellation in cancellations { _ = try inFlight.add(cancellation) }
    listen()
    inFlight.cancelAll(.cancelled(.clientShutDown))
    #expect(told.events == ["3", "3", "3"])
  }

  @Test func `a shared request has ended before its first caller is notified`() async throws {
    let repeats = Coalescer<Int>(Timeline(VirtualClock()))
    let (inFlightRequests, depart) = AsyncStream.makeStream(of: InFlightRequest.self)
    let page = RequestScope("page")
    for cancellation in cancellations { _ = try page.enter(cancellation) }
    let sharing = cancellations[1...].map { cancellation in
      Task {
        try await repeats.share(
          "key", SharingPolicy(), effectivePriority: EffectivePriority(.default), of: cancellation
        ) { inFlightRequest in
          depart.yield(inFlightRequest)
          try await inFlightRequest.cancellation.interrupting { try await StubGate().pass() }
          return 1
        }
      }
    }
    var departed = inFlightRequests.makeAsyncIterator()
    let inFlightRequest = try #require(await departed.next())
    while repeats.states.sharing.withLock({ $0.callers(of: "key") }) < 2 { await Task.yield() }
    _ = cancellations[0].onCancel { [told] in
      told.note(inFlightRequest.cancellation.cause == nil ? "goes on" : "has ended")
    }
    page.end()
    #expect(told.events == ["has ended"])
    for task in sharing { await #expect(throws: RequestError.self) { try await task.value } }
  }
}
