#if canImport(SwiftUI)
  import ErrandCore
  import ErrandSwiftUI
  import ErrandTesting
  import SwiftUI
  import Testing

  extension ViewTests {
    @MainActor @Suite struct RequestsModifierTests {
      private let clock = VirtualClock()

      private struct Page: View {
        let requests: ViewRequests
        var body: some View { Text("page").requests(requests) }
      }

      private struct Child: View {
        let found: Found
        @Environment(\.requests) private var requests
        var body: some View {
          found.scope = requests
          return Text("child")
        }
      }

      private final class Found {
        var scope: RequestScope?
      }

      @Test func `a view's requests end when it has disappeared`() async throws {
        let requests = ViewRequests("page", clock: clock)
        let host = Host(Page(requests: requests))
        let scope = requests.scope
        host.show(nil)
        #expect(!scope.isCancelled)
        try await clock.waitForSleepers()
        await clock.advance(by: .milliseconds(300))
        #expect(await host.wait { scope.isCancelled })
      }

      @Test(arguments: [0.1, 2]) func `the grace can be set`(seconds: Double) async throws {
        let requests = ViewRequests("page", grace: .seconds(seconds), clock: clock)
        let host = Host(Page(requests: requests))
        let scope = requests.scope
        host.cover()
        try await clock.waitForSleepers()
        await clock.advance(by: .seconds(seconds - 0.01))
        await host.settle()
        #expect(!scope.isCancelled)
        await clock.advance(by: .seconds(0.01))
        #expect(await host.wait { scope.isCancelled })
      }

      @Test func `a short absence only lowers the priority`() async throws {
        let client = Client(transport: StubTransport([.stall]))
        let requests = ViewRequests("page", clock: clock)
        let host = Host(Page(requests: requests))
        let call = client.start(.get("https://example.com"), in: requests.scope)
        host.cover()
        #expect(call.priority == .background)
        try await clock.waitForSleepers()
        await clock.advance(by: .milliseconds(200))
        host.uncover()
        #expect(call.priority == .default)
        await clock.advance(by: .seconds(1))
        await host.settle()
        #expect(call.outcome == nil)
        call.cancel()
      }

      @Test func `requests that began before the view was created end with the surrounding views`()
        async throws
      {
        let (outer, inner) = (ViewRequests("outer", clock: clock), ViewRequests("inner", clock: clock))
        let scope = inner.scope
        let host = Host(Text("page").requests(inner).requests(outer))
        #expect(!scope.isCancelled)
        outer.scope.end()
        #expect(await host.wait { scope.isCancelled })
      }

      @Test func `a view that returns later has a new scope, and so have the views in it`() async throws {
        let (requests, found) = (ViewRequests("page", clock: clock), Found())
        let host = Host(Child(found: found).requests(requests))
        let first = requests.scope
        #expect(found.scope === first)
        host.cover()
        try await clock.waitForSleepers()
        await clock.advance(by: .seconds(1))
        #expect(await host.wait { first.isCancelled })
        host.uncover()
        #expect(await host.wait { found.scope !== first })
        #expect(found.scope === requests.scope && !requests.scope.isCancelled)
      }

      @Test func `a scope is nested in that of the surrounding views, even if that is a new one`()
        async throws
      {
        let (outer, inner) = (ViewRequests("page", clock: clock), ViewRequests("part", clock: clock))
        let host = Host(Page(requests: inner).requests(outer))
        let first = inner.scope
        #expect(first !== outer.scope)
        outer.scope.end()
        #expect(first.isCancelled)
        host.cover()
        try await clock.waitForSleepers()
        await clock.advance(by: .seconds(1))
        await host.settle()
        host.uncover()
        #expect(await host.wait { !inner.scope.isCancelled })
        outer.scope.end()
        #expect(inner.scope.isCancelled)
      }

      @Test
      func `a scope with an explicit parent is nested in that, and not in the surrounding views' scope`() {
        let session = RequestScope("session")
        let (outer, inner) = (
          ViewRequests("page", clock: clock), ViewRequests("part", in: session, clock: clock)
        )
        let host = Host(Page(requests: inner).requests(outer))
        outer.scope.end()
        #expect(!inner.scope.isCancelled)
        session.end()
        #expect(inner.scope.isCancelled)
        host.show(nil)
      }

      @Test func `a view with a named scope passes it to the views in it, and ends it when it is released`()
        async
      {
        let found = Found()
        var host: Host? = Host(Child(found: found).requests("page"))
        #expect(found.scope?.name == "page")
        host = nil
        while found.scope?.isCancelled == false { await Task.yield() }
        _ = host
      }
    }
  }
#endif
