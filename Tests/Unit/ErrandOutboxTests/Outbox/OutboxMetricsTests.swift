import Foundation
import Testing

@testable import ErrandOutbox

@Suite struct OutboxMetricsTests {
  @Test func `the depth and the age of an outbox are metrics`() {
    var statistics = OutboxStatistics()
    statistics.counts = [.stored: 3, .deadLettered: 1]
    statistics.bytes = 512
    statistics.oldest = 10_000
    let lines = OutboxMetrics.text(statistics, at: Date(timeIntervalSince1970: 70)).split(separator: "\n")
    for line in [
      "errand_outbox_requests{state=\"stored\"} 3", "errand_outbox_bytes 512",
      "errand_outbox_oldest_seconds 60", "errand_outbox_paused 0",
    ] { #expect(lines.contains(line[...]), "\(line)") }
  }
}
