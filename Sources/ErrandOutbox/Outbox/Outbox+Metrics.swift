import ErrandCore
public import ErrandObservability

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Outbox: MetricsSource {
  /// Returns the numbers of requests and bytes, the age of the oldest request of each state, the pause, and the
  /// ends that this process has recorded, in Prometheus' text format (version 0.0.4). The age of a stored request is
  /// the time since it is due: a request that waits for a later time, or behind another in its lane, has none.
  /// - Throws: `OutboxError`.
  public func prometheusMetrics() async throws -> String { try await prometheusMetrics(lanes: false) }

  /// Returns the metrics of the outbox, and the numbers of requests of each lane.
  /// - Parameter lanes: True to include the lanes, which takes up to a second for a million requests. The 100
  ///   lanes with the most requests are counted separately, and the others together as `other`.
  /// - Throws: `OutboxError`.
  public func prometheusMetrics(lanes: Bool) async throws -> String {
    var metrics = OutboxMetrics(statistics: try await statistics(), ends: hub.recorded.withLock { $0 })
    for state in OutboxMetrics.agingStates where metrics.statistics.counts[state, default: 0] > 0 {
      if state == .stored {
        metrics.oldest[state] = try await store.dueSince().map { Date(milliseconds: $0) }
        continue
      }
      metrics.oldest[state] = try await list(OutboxSelection(states: [state]), limit: 1).first?.created
    }
    if lanes { metrics.lanes = try await laneStatistics() }
    return metrics.text(at: Date())
  }
}

extension Outbox {
  /// The outbox as a source of metrics that include its lanes, for `Metrics.serve`. Reading them takes up to a second
  /// for a million requests.
  public var metricsWithLanes: some MetricsSource { LaneMetrics(outbox: self) }
}

private struct LaneMetrics: MetricsSource {
  let outbox: Outbox

  func prometheusMetrics() async throws -> String { try await outbox.prometheusMetrics(lanes: true) }
}

/// The ends of attempts and requests that this process has recorded.
struct OutboxEnds: Sendable, Equatable {
  /// The number of requests that ended in each state.
  private(set) var states: [OutboxState: Int] = [:]
  /// The number of attempts that failed, including each last one.
  private(set) var failedAttempts = 0

  /// Counts rows that this process changed.
  mutating func add(_ rows: [OutboxRow]) {
    for row in rows where !row.state.isOpen { states[row.state, default: 0] += 1 }
  }

  /// Counts the attempts whose ends were recorded.
  mutating func add(_ batch: [FinishedAttempt], _ results: [Finished]) {
    for (attempt, result) in zip(batch, results) where result.row != nil {
      switch attempt.outcome {
      case .failed, .rejected: failedAttempts += 1
      case .delivered, .returned: break
      }
    }
  }
}

/// Writes the state of an outbox for Prometheus. Each state is written, also one without requests. Pure.
struct OutboxMetrics: Sendable {
  /// The states for which the age of the oldest request is a metric.
  static let agingStates: [OutboxState] = [.stored, .attempting, .deadLettered]
  /// The states in which a request has ended.
  private static let endStates = OutboxState.allCases.filter { !$0.isOpen }
  /// The maximum number of lanes with separate counts.
  static let mostLanes = 100
  private static let otherLanes = "other"

  var statistics: OutboxStatistics
  var ends: OutboxEnds
  /// When the oldest request of each state was stored, and since when one that is stored is due.
  var oldest: [OutboxState: Date] = [:]
  /// The lanes; nil if they are not written.
  var lanes: [LaneStatistics]?

  func text(at now: Date) -> String {
    var text = PrometheusText()
    text.gauge(
      "errand_outbox_requests", "Requests in the outbox, by state.",
      OutboxState.allCases.map { ([("state", "\($0)")], Double(statistics.counts[$0, default: 0])) })
    text.gauge("errand_outbox_bytes", "Bytes of the requests.", [([], Double(statistics.bytes))])
    text.gauge(
      "errand_outbox_oldest_seconds",
      "Age of the oldest request, by state; 0 without one. A stored request counts since it is due.",
      Self.agingStates.map { state in
        ([("state", "\(state)")], oldest[state].map { max(0, now.timeIntervalSince($0)) } ?? 0)
      })
    text.gauge(
      "errand_outbox_paused", "1 if everything is paused.", [([], statistics.isPaused ? 1 : 0)])
    text.counter(
      "errand_outbox_ended_total", "Requests that this process has ended, by their last state.",
      Self.endStates.map { ([("state", "\($0)")], Double(ends.states[$0, default: 0])) })
    text.counter(
      "errand_outbox_failed_attempts_total", "Attempts of this process that failed.",
      [([], Double(ends.failedAttempts))])
    if let lanes {
      text.gauge("errand_outbox_lane_requests", "Requests of each lane, by state.", Self.samples(lanes))
    }
    return text.text
  }

  /// Returns the counts of the largest lanes, and of the others together. Requests without a lane have an empty
  /// name.
  private static func samples(_ lanes: [LaneStatistics]) -> [PrometheusText.Sample] {
    let sizes = lanes.map { lane in (lane: lane, size: lane.counts.values.reduce(0, +)) }
      .sorted { ($1.size, $0.lane.lane ?? "") < ($0.size, $1.lane.lane ?? "") }
    var samples: [PrometheusText.Sample] = []
    func add(_ name: String, _ counts: [OutboxState: Int]) {
      for state in agingStates {
        samples.append(
          ([("lane", name), ("state", "\(state)")], Double(counts[state, default: 0])))
      }
    }
    for (lane, _) in sizes.prefix(mostLanes) { add(lane.lane ?? "", lane.counts) }
    if sizes.count > mostLanes {
      add(
        otherLanes,
        sizes.dropFirst(mostLanes).reduce(into: [:]) { sum, next in
          sum.merge(next.lane.counts, uniquingKeysWith: +)
        })
    }
    return samples
  }
}
