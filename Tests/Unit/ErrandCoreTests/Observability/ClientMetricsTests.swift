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
