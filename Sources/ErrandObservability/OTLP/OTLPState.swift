import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The spans and measurements that wait for an exporter. Pure.
struct OTLPState: Sendable {
  struct Batch: Sendable {
    let spans: [TraceSpan]
    let series: [[String: TraceValue]: Histogram]
    let began: Date
    let time: Date
  }

  enum Next: Sendable {
    case batch(Batch)
    /// The remaining spans wait for the next round.
    case later
    case nothing
  }

  let limits: OTLPExporter.Limits
  var dropped = 0
  private var spans: [TraceSpan] = []
  private var series: [[String: TraceValue]: Histogram] = [:]
  private var hasChanged = false
  /// True if a round is scheduled that will take the waiting spans.
  private var isScheduled = false
  private let began: Date

  init(_ limits: OTLPExporter.Limits, began: Date) {
    self.limits = limits
    self.began = began
  }

  /// Adds a span. Returns true if the caller must schedule a round after the delay.
  mutating func add(_ span: TraceSpan) -> Bool {
    guard spans.count < limits.waiting else {
      dropped += 1
      return false
    }
    spans.append(span)
    return schedule()
  }

  /// Adds a measurement. Returns true if the caller must schedule a round after the delay.
  mutating func add(_ duration: Double, _ attributes: [String: TraceValue]) -> Bool {
    guard series[attributes] != nil || series.count < limits.series else {
      dropped += 1
      return false
    }
    series[attributes, default: Histogram()].add(.seconds(duration))
    hasChanged = true
    return schedule()
  }

  private mutating func schedule() -> Bool {
    defer { isScheduled = true }
    return !isScheduled
  }

  /// The maximum number of waiting batches.
  var mostBatches: Int { limits.waiting / max(1, limits.batch) + 1 }

  /// Returns the next batch to send.
  /// - Parameter isFirst: True at the beginning of a round, which sends a batch of any size. Later batches
  ///   must be full.
  mutating func take(at now: Date, isFirst: Bool) -> Next {
    guard !spans.isEmpty || hasChanged else {
      isScheduled = false
      return .nothing
    }
    guard isFirst || spans.count >= limits.batch else { return .later }
    let batch = Batch(
      spans: Array(spans.prefix(max(1, limits.batch))), series: isFirst && hasChanged ? series : [:],
      began: began, time: now)
    spans.removeFirst(batch.spans.count)
    if isFirst { hasChanged = false }
    return .batch(batch)
  }
}
