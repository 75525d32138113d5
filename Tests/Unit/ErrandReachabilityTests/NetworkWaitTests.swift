import ErrandReachability
import ErrandTesting
import Testing

@testable import ErrandCore

/// Calls that wait for the network. The monitor is the test's.
@Suite struct NetworkWaitTests {
  private let network = ManualReachability(.offline)
  private let clock = VirtualClock()

  private func client(_ handler: @escaping StubTransport.Handler) -> (Client, StubTransport) {
    var configuration = ClientConfiguration()
    configuration.clock = clock
    configuration.retry = .never
    let stub = StubTransport(clock: clock, handler)
    return (Client(transport: stub, configuration: configuration), stub)
  }

  private func request(within limit: Duration = .seconds(60)) -> Request {
    .get("http://a.test/").waitsForNetwork(within: limit, network)
  }

  @Test func `a call waits until there is a network`() async throws {
    let (client, stub) = client { _ in .response() }
    let call = client.start(request())
    try await clock.waitForSleepers(1)
    await clock.advance(by: .seconds(3))
    #expect(stub.requests.isEmpty)
    network.set(.online)
    #expect(try await call.value.timing.queue == .seconds(3))
  }

  @Test(arguments: [NetworkStatus.online, .unknown])
  func `a call does not wait if there may be a network`(status: NetworkStatus) async throws {
    network.set(status)
    let (client, _) = client { _ in .response() }
    #expect(try await client.send(request()).timing.queue == .zero)
  }

  @Test func `the status is only a hint, so the call is tried from time to time`() async throws {
    let (client, stub) = client { $0.index < 2 ? .fail(.cannotConnect, reachedServer: false) : .response() }
    let call = client.start(request())
    for (seconds, count) in [(5, 1), (10, 2), (20, 3)] {
      try await clock.waitForSleepers(1)
      #expect(stub.requests.count == count - 1)
      await clock.advance(by: .seconds(seconds))
      try await stub.waitForRequests(count)
    }
    #expect(try await call.value.status == 200)
  }

  @Test func `a call fails as usual when its time is up`() async throws {
    let (client, stub) = client { _ in .fail(.cannotConnect, reachedServer: false) }
    let call = client.start(request(within: .seconds(7)))
    try await clock.waitForSleepers(1)
    await clock.advance(by: .seconds(5))
    try await stub.waitForRequests(1)
    try await clock.waitForSleepers(1)
    await clock.advance(by: .seconds(2))
    let error = await #expect(throws: RequestError.self) { try await call.value }
    #expect(error?.code == .cannotConnect)
    #expect(stub.requests.count == 2)
    let atOnce = await #expect(throws: RequestError.self) { try await client.send(request(within: .zero)) }
    #expect(atOnce?.code == .cannotConnect)
  }

  @Test func `a network that goes away lets the call wait again, unless its bytes may have arrived`()
    async throws
  {
    network.set(.online)
    let (client, stub) = client { [network] request in
      if request.index == 0 { network.set(.offline) }
      return request.index == 0 ? .fail(.cannotResolveHost, reachedServer: false) : .response()
    }
    let call = client.start(request())
    try await stub.waitForRequests(1)
    try await clock.waitForSleepers(1)
    network.set(.online)
    #expect(try await call.value.status == 200)

    let (other, otherStub) = self.client { [network] _ in
      network.set(.offline)
      return .fail(.connectionLost)
    }
    await #expect(throws: RequestError.self) { try await other.send(request()) }
    #expect(otherStub.requests.count == 1)
  }

  @Test func `a deadline and a cancellation end the wait`() async throws {
    let (client, stub) = client { _ in .response() }
    let late = client.start(request().deadline(.seconds(2)))
    let cancelled = client.start(request())
    try await clock.waitForSleepers(3)
    cancelled.cancel()
    let error = await #expect(throws: RequestError.self) { try await cancelled.value }
    #expect(error?.code == .cancelled)
    await clock.advance(by: .seconds(2))
    let failure = await #expect(throws: RequestError.self) { try await late.value }
    #expect(failure?.code == .deadlineExceeded)
    #expect(stub.requests.isEmpty)
  }
}
