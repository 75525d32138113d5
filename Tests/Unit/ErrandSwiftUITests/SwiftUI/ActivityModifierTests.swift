#if canImport(SwiftUI)
  import ErrandCore
  import ErrandSwiftUI
  import ErrandTesting
  import SwiftUI
  import Testing

  @MainActor @Suite struct ActivityModifierTests {
    @Test func `a request is drawn over the view, which receives no touches meanwhile`() async throws {
      let activity = RequestActivity("Sending", delay: .zero, minimum: .zero)
      let host = Host(Text("page").activity(activity))
      #expect(host.texts == ["page"] && !host.isBlocked)
      let call = Client(transport: StubTransport([.stall])).start(
        .get("https://example.com").activity(activity, blocksInput: true))
      #expect(await host.wait { host.texts == ["page", "…", "Sending"] })
      #expect(host.isBlocked && host.isAnimated)
      #expect(Host.announcements.contains("Sending"))
      call.cancel()
      #expect(await host.wait { host.texts == ["page"] })
      #expect(!host.isBlocked)
    }

    @Test func `an activity without a text is announced by a default word, even if it is already shown`()
      async throws
    {
      let activity = RequestActivity(delay: .zero, minimum: .zero)
      let call = Client(transport: StubTransport([.stall])).start(
        .get("https://example.com").activity(activity))
      while !activity.isShown { await Task.yield() }
      let host = Host(Text("page").activity(activity, announcement: "One moment"))
      #expect(host.texts == ["page", "…"])
      #expect(Host.announcements.contains("One moment"))
      call.cancel()
    }

    @Test func `nothing fades with Reduce Motion`() {
      let host = Host(Text("page").activity(RequestActivity()).reducingMotion())
      #expect(!host.isAnimated)
    }
  }
#endif
