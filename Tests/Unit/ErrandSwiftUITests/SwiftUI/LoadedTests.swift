#if canImport(SwiftUI)
  import ErrandAuthentication
  import ErrandCore
  import ErrandReachability
  import ErrandSwiftUI
  import ErrandTesting
  import struct Foundation.URL
  import SwiftUI
  import Testing

  extension ViewTests {
    @MainActor @Suite struct LoadedTests {
      private let clock = VirtualClock()
      private let gate = StubGate()

      private struct Names: View {
        @Loaded<[String]> private var names: Loading<[String]>

        init(_ path: String = "names") { _names = Loaded(.get("https://example.com/\(path)").attempts(1)) }

        var body: some View {
          VStack {
            Text(names.value?.joined(separator: " ") ?? "-")
            if names.isRefreshing { Text("refreshing") }
            if names.error != nil { Text("error") }
          }
          .loads($names)
        }
      }

      private struct Two: View {
        let isFirstShown: Bool
        var body: some View {
          if isFirstShown { Names() }
          Names()
        }
      }

      private func host(
        _ stub: StubTransport, network: ManualReachability? = nil, @ViewBuilder _ view: () -> some View
      ) -> (Host, LoadStore) {
        let store = LoadStore(Client(transport: stub), reachability: network, clock: clock)
        return (Host(view().errand(store)), store)
      }

      @Test func `a value is loaded when its view is created, and again when the view is pulled`() async {
        let stub = StubTransport { .response(body: "[\"a\(String($0.index))\"]") }
        let (host, _) = host(stub) { Names() }
        #expect(host.texts == ["-", "refreshing"])
        #expect(await host.wait { host.texts == ["a0"] })
        await host.pull()
        #expect(await host.wait { host.texts == ["a1"] })
      }

      @Test func `the old value stays while the new one loads, and beside the error`() async throws {
        let stub = StubTransport { [gate] request in
          if request.index > 0 { try await gate.pass() }
          return request.index == 0 ? .response(body: "[\"old\"]") : .response(status: 500)
        }
        let (host, _) = host(stub) { Names() }
        #expect(await host.wait { host.texts == ["old"] })
        let pull = Task { await host.pull() }
        #expect(await host.wait { host.texts == ["old", "refreshing"] })
        gate.open()
        await pull.value
        #expect(await host.wait { host.texts == ["old", "error"] })
      }

      @Test func `two views with one key have one request, and one that disappears does not cancel it`()
        async throws
      {
        let stub = StubTransport([.response(body: "[\"a\"]").behind(gate)])
        let (host, store) = host(stub) { Two(isFirstShown: true) }
        try await stub.waitForRequests(1)
        host.show(Two(isFirstShown: false).errand(store))
        await host.settle()
        await clock.advance(by: .seconds(5))
        await host.settle()
        #expect(stub.inFlight == 1)
        gate.open()
        #expect(await host.wait { host.texts == ["a"] })
        #expect(stub.requests.count == 1 && stub.cancelled == 0)
      }

      private struct AnonymousToo: View {
        @Loaded<[String]>(.get("https://example.com/me")) private var mine
        @Loaded<[String]>(Request.get("https://example.com/me").unauthenticated()) private var anyones

        var body: some View {
          VStack {
            Text(mine.value?.joined() ?? "-")
            Text(anyones.value?.joined() ?? "-")
          }
        }
      }

      @Test func `a view without the credential does not show the value of a view with it`() async throws {
        let stub = StubTransport { .response(body: "[\"\($0.fields["Authorization"] ?? "anonymous")\"]") }
        var configuration = ClientConfiguration()
        configuration.authentication = .bearer("alice", at: [URL(string: "https://example.com")!])
        let store = LoadStore(
          Client(transport: stub, configuration: configuration), reachability: nil, clock: clock)
        let host = Host(AnonymousToo().errand(store))
        #expect(await host.wait { host.texts == ["Bearer alice", "anonymous"] })
      }

      private struct Keyed: View {
        @Loaded<[String]> private var names: Loading<[String]>

        init(_ key: String) {
          _names = Loaded(key) { client, scope in
            try await client.send(.get("https://example.com/"), in: scope).decode()
          }
        }

        var body: some View { Text(names.value?.joined() ?? "-") }
      }

      @Test func `keys that differ only in their bytes are two keys`() async throws {
        let stub = StubTransport { .response(body: "[\"\($0.index)\"]") }
        let (host, store) = host(stub) { Keyed("Ren\u{E9}") }
        #expect(await host.wait { host.texts == ["0"] })
        host.show(Keyed("Rene\u{301}").errand(store))
        #expect(await host.wait { host.texts == ["1"] })
      }

      @Test func `the request of the last view is cancelled after the grace, and that is not an error`()
        async throws
      {
        let stub = StubTransport([.stall])
        let (host, store) = host(stub) { Names() }
        try await stub.waitForRequests(1)
        host.show(nil)
        try await clock.waitForSleepers()
        #expect(stub.inFlight == 1)
        await clock.advance(by: .milliseconds(300))
        #expect(await host.wait { stub.cancelled == 1 })
        host.show(Names().errand(store))
        #expect(await host.wait { host.texts == ["-", "refreshing"] })
        try await stub.waitForRequests(2)
        host.show(nil)
      }

      @Test func `the newest key wins, and the old value stays until the new one has arrived`() async throws {
        let stub = StubTransport { [gate] request in
          if request.url.path == "/slow" { return .stall }
          if request.url.path == "/new" { try await gate.pass() }
          return .response(body: "[\"\(request.url.path)\"]")
        }
        let (host, store) = host(stub) { Names("first") }
        #expect(await host.wait { host.texts == ["/first"] })
        host.show(Names("slow").errand(store))
        try await stub.waitForRequests(2)
        host.show(Names("new").errand(store))
        #expect(host.texts == ["/first", "refreshing"])
        try await stub.waitForRequests(3)
        #expect(await host.wait { stub.cancelled == 1 })
        gate.open()
        #expect(await host.wait { host.texts == ["/new"] })
      }

      @Test func `a failed value is loaded again when the network returns`() async throws {
        let network = ManualReachability(.offline)
        let stub = StubTransport { $0.index == 0 ? .fail(.cannotConnect) : .response(body: "[\"a\"]") }
        let (host, _) = host(stub, network: network) { Names() }
        #expect(await host.wait { host.texts == ["-", "error"] })
        network.set(.online)
        #expect(await host.wait { host.texts == ["a"] })
      }

      @Test func `a covered view's request waits behind others, and is then cancelled`() async throws {
        let stub = StubTransport([.stall])
        let (host, _) = host(stub) { Names() }
        try await stub.waitForRequests(1)
        host.cover()
        try await clock.waitForSleepers()
        await clock.advance(by: .milliseconds(300))
        #expect(await host.wait { stub.cancelled == 1 })
        host.uncover()
        try await stub.waitForRequests(2)
        host.show(nil)
      }

      private struct Checked: View {
        @Loaded<[String]> private var names: Loading<[String]>

        init() { _names = Loaded(.get("https://example.com/names").validate { _ in }.attempts(1)) }

        var body: some View { Text(names.value?.joined(separator: " ") ?? "-").loads($names) }
      }

      @Test func `a request with a check counts as the same each time its view is created`() async {
        let stub = StubTransport { .response(body: "[\"a\(String($0.index))\"]") }
        let (host, store) = host(stub) { Checked() }
        #expect(await host.wait { host.texts == ["a0"] })
        for _ in 0..<3 {
          host.show(Checked().errand(store))
          await host.settle()
        }
        #expect(stub.requests.count == 1 && host.texts == ["a0"])
      }

      @Test func `a view that is covered before its load begins sends nothing`() async {
        let stub = StubTransport([.stall])
        let (host, _) = host(stub) { Names() }
        host.cover()
        await host.settle()
        await clock.advance(by: .seconds(1))
        #expect(await host.wait { stub.inFlight == 0 })
        host.show(nil)
      }

      @Test func `a key that changes while the view is away is loaded when the view returns`() async throws {
        let stub = StubTransport([.response(body: "[\"a\"]")])
        let (host, store) = host(stub) { Names() }
        #expect(await host.wait { host.texts == ["a"] })
        host.cover()
        host.show(Names("others").errand(store))
        for _ in 0..<20 { await host.settle() }
        #expect(stub.requests.count == 1)
        host.uncover()
        #expect(await host.wait { stub.requests.count == 2 })
      }

      @Test func `without a store the error says what is missing`() async {
        let host = Host(Names())
        #expect(host.texts == ["-", "error"])
        await host.pull()
        let store = LoadStore(
          Client(transport: StubTransport([.response(body: "[\"a\"]")])), reachability: nil, clock: clock)
        host.show(Names().errand(store))
        #expect(await host.wait { host.texts == ["a"] })
      }

      @Test func `a preview gets its responses from a closure`() async {
        let host = Host(Names().errandStub { try .json(["stubbed"], for: $0) })
        #expect(await host.wait { host.texts == ["stubbed"] })
      }

      @Test func `a status that a request does not accept is an error of a stub, too`() async {
        let host = Host(Names().errandStub { try .json(["no"], status: 500, for: $0) })
        #expect(await host.wait { host.texts == ["-", "error"] })
      }

      @Test func `a stub's error is shown by the view`() async {
        let host = Host(Names().errandStub { _ in throw CocoaError(.fileNoSuchFile) })
        #expect(await host.wait { host.texts == ["-", "error"] })
      }
    }
  }
#endif
