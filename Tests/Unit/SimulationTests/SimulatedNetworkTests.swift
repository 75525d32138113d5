#if os(Linux)
  import ErrandCore
  import ErrandTesting
  import SimulationExecutor
  import Testing

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  @Suite struct SimulatedNetworkTests {
    /// Runs a client on a network with these conditions, in a simulation.
    private func simulate<Value: Sendable>(
      _ conditions: NetworkConditions = NetworkConditions(), seed: UInt64 = 1,
      body: Data = Data("hello".utf8),
      _ work: @escaping @Sendable (Client, SimulatedNetwork, Simulation) async throws -> Value
    ) async throws -> Value {
      let report = await OwnThread.run {
        Simulation.run(seed: seed) { simulation -> Result<Value, any Error> in
          let network = SimulatedNetwork(
            clock: simulation.clock, random: simulation.random(1), conditions: conditions
          ) { _ in SimulatedResponse(body: body) }
          var configuration = ClientConfiguration()
          configuration.clock = simulation.clock
          configuration.retry = .never
          let client = Client(transport: network, configuration: configuration)
          do { return .success(try await work(client, network, simulation)) } catch {
            return .failure(error)
          }
        }
      }
      return try #require(report.value).get()
    }

    private let url = "http://a.test/x"

    @Test func `the network responds after its latencies and records the attempt`() async throws {
      var conditions = NetworkConditions()
      conditions.latency = .milliseconds(10)...(.milliseconds(10))
      conditions.service = .milliseconds(5)...(.milliseconds(5))
      conditions.pause = .zero...(.zero)
      let (response, record, end) = try await simulate(conditions) { client, network, simulation in
        let response = try await client.send(.post("http://a.test/x?y", .text("body")).field("A", "b"))
        return (response.text, network.attempts, simulation.clock.now.offset)
      }
      #expect(response == "hello")
      #expect(end == .milliseconds(45))
      let only = try #require(record.first)
      #expect(record.count == 1)
      #expect(only.method == .post)
      #expect(only.host == "a.test")
      #expect(only.path == "/x")
      #expect(only.fields["A"] == "b")
      #expect(only.text == "body")
      #expect(only.began == .zero)
      #expect(only.seen == .milliseconds(30))
      #expect(only.response?.status == 200)
      #expect(only.ended == .milliseconds(45))
      #expect(only.end == .responded(200))
    }

    @Test func `a request times out when a message is lost, and the server may have received it`()
      async throws
    {
      var conditions = NetworkConditions()
      conditions.loss = 1
      for seed in UInt64(1)...20 {
        let (error, only, end) = try await simulate(conditions, seed: seed) {
          [url] client, network, simulation in
          let error = await #expect(throws: RequestError.self) {
            try await client.send(.get(url).timeout(.seconds(3)))
          }
          return (error, network.attempts[0], simulation.clock.now.offset)
        }
        #expect(error?.code == .timedOut)
        #expect(error?.reachedServer == true)
        #expect(only.end == .failed(.timedOut))
        // The time-out begins when the connection is established.
        #expect((.seconds(3)...(.seconds(4))).contains(end))
      }
    }

    @Test func `a refused connection has reached no server`() async throws {
      var conditions = NetworkConditions()
      conditions.refusals = 1
      let (error, seen) = try await simulate(conditions) { [url] client, network, _ in
        let error = await #expect(throws: RequestError.self) { try await client.send(.get(url)) }
        return (error, network.attempts[0].seen)
      }
      #expect(error?.code == .cannotConnect)
      #expect(error?.reachedServer == false)
      #expect(seen == nil)
    }

    @Test func `a reset says whether the server may have received the request`() async throws {
      var conditions = NetworkConditions()
      conditions.resets = 1
      for seed in UInt64(1)...30 {
        let (error, only) = try await simulate(conditions, seed: seed) { [url] client, network, _ in
          let error = await #expect(throws: RequestError.self) { try await client.send(.get(url)) }
          return (error, network.attempts[0])
        }
        #expect(error?.code == .connectionLost)
        #expect(error?.reachedServer == (only.seen != nil))
      }
    }

    @Test func `a partition delays a request, which arrives after it`() async throws {
      let (one, other) = try await simulate { client, network, simulation in
        network.partition(from: ["a.test"], for: .seconds(5))
        async let parted = client.send(.get("http://a.test/"))
        _ = try await client.send(.get("http://b.test/"))
        let other = simulation.clock.now.offset
        _ = try await parted
        return (simulation.clock.now.offset, other)
      }
      #expect(other < .seconds(1))
      #expect((.seconds(5)...(.seconds(6))).contains(one))
    }

    @Test func `a long partition ends in a time-out that reached no server`() async throws {
      let error = try await simulate { [url] client, network, _ in
        network.partition(for: .seconds(60))
        return await #expect(throws: RequestError.self) { try await client.send(.get(url)) }
      }
      #expect(error?.code == .timedOut)
      #expect(error?.reachedServer == false)
    }

    @Test func `a cancelled request ends at once, and is no longer in flight`() async throws {
      for milliseconds in stride(from: 0, to: 200, by: 7) {
        let (end, atOnce) = try await simulate { [url] client, network, simulation in
          let call = client.start(.get(url))
          try await simulation.clock.sleep(for: .milliseconds(milliseconds))
          let isHere = call.outcome != nil
          call.cancel()
          let atOnce = network.inFlight
          let before = simulation.clock.now.offset
          _ = try? await call.value
          #expect(isHere || simulation.clock.now.offset == before)
          return (network.attempts.first?.end, isHere ? 0 : atOnce)
        }
        #expect(atOnce == 0)
        #expect(end == nil || end == .cancelled || end == .responded(200))
      }
    }

    @Test func `a failing server says when to retry`() async throws {
      var conditions = NetworkConditions()
      conditions.serverErrors = 1
      conditions.retryAfter = 1
      let error = try await simulate(conditions) { [url] client, _, _ in
        await #expect(throws: RequestError.self) { try await client.send(.get(url)) }
      }
      #expect([429, 500, 502, 503].contains(error?.status?.code))
      #expect((1...3).contains(error?.fields?["Retry-After"].flatMap { Int($0) } ?? 0))
    }

    @Test func `a body arrives as fast as it is read`() async throws {
      var conditions = NetworkConditions()
      conditions.piece = 65_536...65_536
      conditions.pause = .zero...(.zero)
      let body = Data(repeating: 7, count: 4 << 20)
      let (held, whole) = try await simulate(conditions, body: body) {
        [url] client, network, simulation in
        let response = try await client.stream(.get(url))
        try await simulation.clock.sleep(for: .seconds(100))
        let held = network.inFlight
        var count = 0
        for try await piece in response.chunks { count += piece.count }
        return (held, count)
      }
      #expect(held == 1)
      #expect(whole == body.count)
    }

    @Test func `the network counts requests in flight, by host and in total`() async throws {
      let (hosts, most, left) = try await simulate { client, network, _ in
        await withTaskGroup(of: Void.self) { group in
          for host in ["a.test", "a.test", "a.test", "b.test"] {
            group.addTask { _ = try? await client.send(.get("http://\(host)/")) }
          }
        }
        return (network.hosts, network.mostInFlight, network.inFlight)
      }
      #expect(hosts["a.test"]?.mostInFlight == 3)
      #expect(hosts["b.test"]?.mostInFlight == 1)
      #expect(hosts["a.test"]?.inFlight == 0)
      #expect(most == 4)
      #expect(left == 0)
    }
  }
#endif
