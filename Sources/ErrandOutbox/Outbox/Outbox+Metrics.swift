import ErrandCore
import ErrandObservability

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Outbox {
  /// Returns the numbers of requests and bytes, the age of the oldest request and the pause, in Prometheus'
  /// text format (version 0.0.4).
  /// - Throws: `OutboxError`.
  public func prometheusMetrics() async throws -> String {
    OutboxMetrics.text(try await statistics(), at: Date())
  }
}

/// Writes the statistics of an outbox for Prometheus.
enum OutboxMetrics {
  static func text(_ statistics: OutboxStatistics, at now: Date) -> String {
    var text = PrometheusText()
    text.gauge(
      "errand_outbox_requests", "Requests in the outbox.",
      statistics.counts.sorted { $0.key.rawValue < $1.key.rawValue }
        .map { ([("state", "\($0.key)")], Double($0.value)) })
    text.gauge("errand_outbox_bytes", "Bytes of the requests.", [([], Double(statistics.bytes))])
    let age = statistics.oldest.map { max(0, now.timeIntervalSince1970 - Double($0) / 1000) } ?? 0
    text.gauge("errand_outbox_oldest_seconds", "Age of the oldest open request.", [([], age)])
    text.gauge(
      "errand_outbox_paused", "1 if everything is paused.", [([], statistics.isPaused ? 1 : 0)])
    return text.text
  }
}
