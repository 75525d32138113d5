import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct ScopePriorityTests {
  private let gate = StubGate()

  private func client(_ stub: StubTransport) -> Client {
    var configuration = ClientConfiguration()
    configuration.limits = ConcurrencyLimits(total: 1, perOrigin: nil)
    return Client(transport: stub, configuration: configuration)
  }

  /// Returns the order in which waiting calls are sent when `change` happens meanwhile: "a" is in the scope,
  /// "b" is not.
  private func order(_ change: (RequestScope, Call) -> Void) async throws -> [String] {
    let stub = StubTransport { [gate] in .response().behind($0.index == 0 ? gate : .opened) }
    let client = client(stub)
    let outer = RequestScope("outer")
    let scope = RequestScope("page", in: outer)
    let first = client.start(.get("https://example.com/first"))
    try await stub.waitForRequests(1)
    let a = client.start(.get("https://example.com/a").priority(.userInitiated), in: scope)
    while client.pipeline.slots.load.waiting < 1 { await Task.yield() }
    let b = client.start(.get("https://example.com/b"))
    while client.pipeline.slots.load.waiting < 2 { await Task.yield() }
    change(outer, a)
    gate.open()
    for call in [first, a, b] { _ = try await call.value }
    return stub.requests.dropFirst().map { String($0.url.path.dropFirst()) }
  }

  @Test func `other requests overtake a request whose scope has a limited priority`() async throws {
    #expect(try await order { _, _ in } == ["a", "b"])
  }

  @Test func `the priority limit of a scope also applies to the scopes below it`() async throws {
    #expect(try await order { scope, _ in scope.limitPriority(to: .background) } == ["b", "a"])
  }

  @Test func `lifting a limit restores the request's own priority`() async throws {
    let order = try await order { scope, _ in
      scope.limitPriority(to: .background)
      scope.limitPriority(to: nil)
    }
    #expect(order == ["a", "b"])
  }

  @Test func `other calls overtake a call whose priority is lowered`() async throws {
    #expect(try await order { _, call in call.lowerPriority(to: .utility) } == ["b", "a"])
  }

  @Test func `a priority limit also applies to later requests and to later nested scopes`() async throws {
    let client = client(StubTransport([.stall]))
    let outer = RequestScope("outer")
    outer.limitPriority(to: .utility)
    let inner = RequestScope("inner", in: outer)
    #expect(client.start(.get("https://example.com"), in: outer).priority == .utility)
    let call = client.start(.get("https://example.com"), in: inner)
    #expect(call.priority == .utility)
    outer.limitPriority(to: nil)
    #expect(call.priority == .default)
    outer.end()
  }
}

extension StubGate {
  fileprivate static var opened: StubGate {
    let gate = StubGate()
    gate.open()
    return gate
  }
}
