import ErrandCore
import ErrandObservability
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

@Suite(.timeLimit(.minutes(1))) struct OutboxMetricsTests {
  @Test func `the depth and the ages of an outbox are metrics, and a state without requests is 0`() {
    var statistics = OutboxStatistics()
    statistics.counts = [.stored: 3, .deadLettered: 1]
    statistics.bytes = 512
    var metrics = OutboxMetrics(statistics: statistics, ends: OutboxEnds())
    metrics.oldest = [
      .stored: Date(timeIntervalSince1970: 10), .deadLettered: Date(timeIntervalSince1970: 80),
    ]
    let lines = metrics.text(at: Date(timeIntervalSince1970: 70)).split(separator: "\n")
    for line in [
      #"errand_outbox_requests{state="stored"} 3"#, #"errand_outbox_requests{state="attempting"} 0"#,
      #"errand_outbox_requests{state="delivered"} 0"#, #"errand_outbox_requests{state="dead-letter"} 1"#,
      #"errand_outbox_requests{state="expired"} 0"#, #"errand_outbox_requests{state="dropped"} 0"#,
      "errand_outbox_bytes 512", #"errand_outbox_oldest_seconds{state="stored"} 60"#,
      #"errand_outbox_oldest_seconds{state="attempting"} 0"#,
      #"errand_outbox_oldest_seconds{state="dead-letter"} 0"#, "errand_outbox_paused 0",
      #"errand_outbox_ended_total{state="delivered"} 0"#, "errand_outbox_failed_attempts_total 0",
    ] { #expect(lines.contains(line[...]), "\(line)") }
    #expect(!lines.contains { $0.contains("lane") })
  }

  @Test func `the largest 100 lanes are counted separately`() {
    var metrics = OutboxMetrics(statistics: OutboxStatistics(), ends: OutboxEnds())
    metrics.lanes = (0..<150).map { number in
      LaneStatistics(lane: "\(number)", counts: [.stored: number + 1], oldest: Date())
    }
    metrics.lanes?.append(LaneStatistics(lane: nil, counts: [.attempting: 500], oldest: Date()))
    let lines = metrics.text(at: Date()).split(separator: "\n")
      .filter { $0.hasPrefix("errand_outbox_lane_requests{") }
    #expect(lines.count == 101 * 3)
    #expect(lines.first == #"errand_outbox_lane_requests{lane="",state="stored"} 0"#)
    #expect(lines.contains(#"errand_outbox_lane_requests{lane="149",state="stored"} 150"#))
    // The lanes with 1 to 51 requests.
    #expect(lines.contains(#"errand_outbox_lane_requests{lane="other",state="stored"} 1326"#))
  }

  @Test func `a stored request ages since it is due`() async throws {
    let harness = try OutboxHarness()
    let outbox = try await harness.outbox { $0.delivers = false }
    let age = { @Sendable in
      let lines = try await outbox.prometheusMetrics().split(separator: "\n")
      let line = lines.first { $0.hasPrefix(#"errand_outbox_oldest_seconds{state="stored"}"#) }
      return Double(line?.split(separator: " ").last ?? "")
    }
    _ = try await outbox.enqueue(
      .post(harness.server.url("/")), lane: "a", notBefore: Date(timeIntervalSinceNow: 86_400))
    _ = try await outbox.enqueue(.post(harness.server.url("/")), lane: "a")
    #expect(try await age() == 0)
    _ = try await outbox.enqueue(.post(harness.server.url("/")), lane: "b")
    while try await age() == 0 { await Task.yield() }
    #expect(try await age() ?? 100 < 60)
    await outbox.close()
  }

  @Test func `the outbox counts the requests that it has ended and the attempts that failed`() async throws {
    let harness = try OutboxHarness()
    harness.server.on("POST", "/yes") { _ in .response() }
    harness.server.on("POST", "/no") { _ in .response(status: 400) }
    // A busy server holds up all requests to it, so it is another one.
    let busy = try MockServer()
    busy.on("POST", "/later") { _ in .response(status: 503, fields: ["Retry-After": "3600"]) }
    let outbox = try await harness.outbox()
    for path in ["/yes", "/no"] {
      _ = try await outbox.enqueue(.post(harness.server.url(path)), lane: "a")
    }
    _ = try await outbox.enqueue(.post(busy.url("/later")), lane: "b")
    while try await !outbox.prometheusMetrics().contains("errand_outbox_failed_attempts_total 2") {
      await Task.yield()
    }
    let lines = try await outbox.prometheusMetrics(lanes: true).split(separator: "\n")
    for line in [
      #"errand_outbox_requests{state="stored"} 1"#, #"errand_outbox_requests{state="dead-letter"} 1"#,
      #"errand_outbox_ended_total{state="delivered"} 1"#,
      #"errand_outbox_ended_total{state="dead-letter"} 1"#, "errand_outbox_failed_attempts_total 2",
      #"errand_outbox_lane_requests{lane="b",state="stored"} 1"#,
    ] { #expect(lines.contains(line[...]), "\(line)") }
    #expect(try await outbox.metricsWithLanes.prometheusMetrics().contains("errand_outbox_lane_requests{"))
    #expect(try await !outbox.prometheusMetrics().contains("errand_outbox_lane_requests{"))
    await outbox.close()
  }
}
