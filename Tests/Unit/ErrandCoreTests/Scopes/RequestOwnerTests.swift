import ErrandTesting
import Testing

@testable import ErrandCore

/// Owners are released while their requests are pending, and no request revives one.
@MainActor @Suite struct RequestOwnerTests {
  private let stub = StubTransport(clock: VirtualClock(), [.stall])

  @Test func `an owner that a task captures before its wait is kept alive by its own request`() async throws {
    var page: TrappedPage? = TrappedPage(Client(transport: stub))
    let requests = page?.requests
    weak let kept = page
    let task = page?.load()
    try await stub.waitForRequests()
    page = nil
    #expect(kept != nil)
    #expect(requests?.isCancelled == false)
    #expect(stub.inFlight == 1)
    requests?.end()
    _ = await task?.result
    #expect(kept == nil)
  }

  @Test func `an owner that a task captures after its wait is released, and its request is cancelled`()
    async throws
  {
    var page: FreePage? = FreePage(Client(transport: stub))
    weak let kept = page
    let task = page?.load()
    try await stub.waitForRequests()
    page = nil
    #expect(kept == nil)
    let error = await #expect(throws: RequestError.self) { try await task?.value }
    #expect(error?.isCancellation == true)
    #expect(stub.cancelled == 1)
  }

  @Test
  func `a result that the client hands over retains no owner, and is not delivered after the owner's end`()
    async throws
  {
    let told = EventLog()
    var page: MainPage? = MainPage()
    weak let kept = page
    let call = page?.load(Client(transport: stub), told)
    try await stub.waitForRequests()
    #expect(page?.requests.count == 1)
    page = nil
    #expect(kept == nil)
    let error = await #expect(throws: RequestError.self) { try await call?.value }
    #expect(error?.isCancellation == true)
    #expect(stub.cancelled == 1)
    #expect(told.events.isEmpty)
  }

  @Test func `an owner that ends its requests itself is notified of the cancellation`() async throws {
    let page = MainPage()
    page.load(Client(transport: stub), EventLog())
    try await stub.waitForRequests()
    page.requests.end()
    await page.told.wait()
    #expect(page.isCancellation == true)
    #expect(page.requests.count == 0)
  }

  @Test func `an owner on the main actor receives its response there`() async {
    let page = MainPage()
    let told = EventLog()
    page.load(Client(transport: StubTransport([.response(body: "hello")])), told)
    await page.told.wait()
    #expect(page.text == "hello")
    #expect(told.events == ["told"])
  }

  @Test func `an owner whose conformance is isolated to the main actor receives its response there`() async {
    let page = MainOnlyPage()
    page.load(Client(transport: StubTransport([.response(body: "hello")])))
    await page.told.wait()
    #expect(page.text == "hello")
  }

  @Test func `an actor receives its response in its own isolation`() async {
    let store = Store()
    await store.load(Client(transport: StubTransport([.response(body: "hello")])))
    await store.told.wait()
    #expect(await store.text == "hello")
    // The same holds when code outside the actor sends the request.
    let other = Store()
    Client(transport: StubTransport([.response(body: "hello")])).send(.get("http://stub.test/"), for: other) {
      store, result in
      store.assertIsolated()
      store.show(result)
    }
    await other.told.wait()
    #expect(await other.text == "hello")
  }

  @Test func `an owner on another global actor receives its response there`() async {
    let page = ElsewherePage()
    await page.load(Client(transport: StubTransport([.response(body: "hello")])))
    await page.told.wait()
    #expect(await page.text == "hello")
  }

  @Test nonisolated func `an owner without an actor receives its response`() async {
    let service = Service()
    service.load(Client(transport: StubTransport([.response(body: "hello")])))
    await service.told.wait()
    #expect(service.text == "hello")
  }
}
