import ErrandTesting
import Testing

@testable import ErrandCore
@testable import ErrandObservability

@Suite(.timeLimit(.minutes(1))) struct ClientMetricsTests {
  @Test func `a client counts its calls, attempts and times`() async throws {
    let stage = Stage.configured { $0.collectsMetrics = true }.responding { request in
      request.path == "/no" ? .response(status: 404) : .response().after(.milliseconds(20))
    }
    for _ in 0..<2 {
      let call = stage.client.start(.get("http://a.test/x"))
      await stage.reachSleep(of: .milliseconds(20))
      #expect(stage.client.metrics?.inFlight == 1)
      await stage.clock.advance(by: .milliseconds(20))
      _ = try await call.value
    }
    _ = try? await stage.client.send(.get("http://b.test/no"))
    let metrics = try #require(stage.client.metrics)
    #expect(metrics.inFlight == 0)
    #expect(metrics.waiting == 0)
    #expect(metrics.attempts == 3)
    #expect(metrics.outcomes == [.finished: 2, .failed: 1])
    #expect(metrics.latencies["http://a.test:80"]?.counts[2] == 2)
    #expect(metrics.callsPerSecond == 3)
    let lines = metrics.prometheus.split(separator: "\n")
    for line in [
      "# TYPE errand_call_duration_seconds histogram", "errand_calls_total{outcome=\"finished\"} 2",
      "errand_call_duration_seconds_bucket{origin=\"http://a.test:80\",le=\"0.025\"} 2",
      "errand_call_duration_seconds_bucket{origin=\"http://a.test:80\",le=\"+Inf\"} 2",
      "errand_call_duration_seconds_sum{origin=\"http://a.test:80\"} 0.04", "errand_calls_in_flight 0",
    ] { #expect(lines.contains(line[...]), "\(line)") }
  }

  @Test func `a client counts requests by method, class of the status, and origin`() async throws {
    let stage = Stage.configured {
      $0.collectsMetrics = true
      $0.retry.backoff = .zero
    }.responding { request in
      switch request.path {
      case "/moved": .response(status: 302, fields: ["Location": "http://b.test/x"])
      case "/gone": .response(status: 410)
      case "/lost": .fail(.connectionLost, message: "lost")
      case "/slow": .response().behind(StubGate())
      default: .response()
      }
    }
    _ = try await stage.client.send(.get("http://a.test/moved"))
    _ = try? await stage.client.send(.post("http://a.test/gone"))
    _ = try? await stage.client.send(Request("PURGE", "http://a.test/gone"))
    _ = try? await stage.client.send(.get("http://a.test/lost"))
    let call = stage.client.start(.get("http://a.test/slow"))
    while stage.client.metrics?.attempts != 8 { await Task.yield() }
    call.cancel()
    _ = try? await call.value
    let metrics = try #require(stage.client.metrics)
    let lines = metrics.prometheus.split(separator: "\n").filter { $0.hasPrefix("errand_requests_total") }
    #expect(
      lines == [
        #"errand_requests_total{method="GET",status="3xx",origin="http://a.test:80"} 1"#,
        #"errand_requests_total{method="GET",status="cancelled",origin="http://a.test:80"} 1"#,
        #"errand_requests_total{method="GET",status="error",origin="http://a.test:80"} 3"#,
        #"errand_requests_total{method="POST",status="4xx",origin="http://a.test:80"} 1"#,
        #"errand_requests_total{method="_OTHER",status="4xx",origin="http://a.test:80"} 1"#,
        #"errand_requests_total{method="GET",status="2xx",origin="http://b.test:80"} 1"#,
      ])
  }

  @Test(arguments: [1, 10]) func `each call that shares a request counts once, and all but one are coalesced`(
    count: Int
  ) async throws {
    let gate = StubGate()
    let stage = Stage.configured {
      $0.collectsMetrics = true
      $0.retry.backoff = .zero
    }.responding { request in request.index == 0 ? .response(status: 503) : .response().behind(gate) }
    let calls = (0..<count).map { _ in stage.client.start(.get("http://a.test/x").shared(within: .seconds(9)))
    }
    let isReady = { stage.client.metrics?.attempts == 2 && stage.client.metrics?.waiting == count }
    while !isReady(), !Task.isCancelled { await Task.yield() }
    #expect(stage.client.metrics?.inFlight == count)
    gate.open()
    for call in calls { _ = try await call.value }
    // The response that has arrived is shared, too.
    _ = try await stage.client.send(.get("http://a.test/x").shared(within: .seconds(9)))
    let metrics = try #require(stage.client.metrics)
    #expect(metrics.outcomes == [.finished: count + 1])
    #expect(metrics.latencies["http://a.test:80"]?.count == count + 1)
    #expect(metrics.coalesced == count)
    #expect((metrics.attempts, metrics.retries) == (2, 1))
    #expect((metrics.inFlight, metrics.waiting) == (0, 0))
  }

  @Test func `requests to more than 100 origins are counted together`() {
    var state = MetricsState()
    for number in 0..<300 {
      state.sent(UInt64(number), method: "GET", origin: "\(number)")
      state.requestEnded(UInt64(number), .successful)
      state.requestEnded(UInt64(number), .cancelled)
    }
    let requests = state.snapshot(at: .zero).requests
    #expect(requests.count == MetricsState.mostOrigins + 1)
    #expect(requests.values.reduce(0, +) == 300)
    let kind = ClientMetrics.RequestKind(
      method: "GET", result: .successful, origin: ClientMetrics.otherOrigins)
    #expect(requests[kind] == 200)
  }

  @Test func `a request that is sent again counts as another attempt, and one without an end as failed`()
    throws
  {
    var configuration = ClientConfiguration()
    let collector = MetricsCollector()
    configuration.listeners = [collector]
    let source = try #require(EventSource(configuration, Timeline(VirtualClock())))
    let events = source.begin(.get("http://a.test/"))
    events.attemptStarted(.get("http://a.test/"), attempt: 1, redirects: 0)
    events.tell(.resent)
    events.attemptStarted(.get("http://b.test/"), attempt: 2, redirects: 0)
    let metrics = collector.metrics(at: .zero)
    #expect(metrics.attempts == 3)
    #expect(
      metrics.requests.map { "\($0.key.origin) \($0.key.result) \($0.value)" } == [
        "http://a.test:80 failed 1"
      ])
  }

  @Test func `a client without listeners has no metrics`() {
    #expect(Stage().client.metrics == nil)
    let stage = Stage.configured {
      $0.collectsMetrics = true
      $0.collectsMetrics = false
    }.responding { _ in .response() }
    #expect(stage.client.metrics == nil)
  }

  @Test func `the number of origins with separate counts is limited, and rates cover the last minute`() {
    var state = MetricsState()
    for number in 0..<300 {
      state.started(UInt64(number), at: .seconds(number))
      state.ended(UInt64(number), .finished, origin: "\(number)", at: .seconds(number))
    }
    let metrics = state.snapshot(at: .seconds(299))
    #expect(metrics.latencies.count == MetricsState.mostOrigins + 1)
    #expect(metrics.latencies[ClientMetrics.otherOrigins]?.count == 200)
    #expect(metrics.callsPerSecond == 1)
    #expect(state.snapshot(at: .seconds(1000)).callsPerSecond == 0)
  }
}
