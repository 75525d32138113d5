import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How much is stored, for people.
struct StatisticsText: Sendable {
  let now: Date

  func lines(_ statistics: OutboxStatistics) -> [String] {
    var facts = OutboxState.allCases.map { ("\($0)", "\(statistics.counts[$0, default: 0])") }
    facts.append(("bytes", Amounts.bytes(statistics.bytes)))
    // With what is over and still known, as a cap counts it.
    if statistics.bytesInAll > statistics.bytes {
      facts.append(("in all", Amounts.bytes(statistics.bytesInAll)))
    }
    if let oldest = statistics.oldest {
      facts.append(("oldest", SpanText.since(Date(milliseconds: oldest), at: now)))
    }
    if let next = statistics.nextDue {
      facts.append(("next try", SpanText.until(Date(milliseconds: next), at: now)))
    }
    let lines = TwoColumns.lines(facts)
    return statistics.isPaused || !statistics.pausedLanes.isEmpty ? lines + [Self.pauses(statistics)] : lines
  }

  /// An origin to which nothing is sent for a while.
  func line(_ held: HeldOrigin) -> String {
    "held: \(held.origin), next try \(SpanText.until(held.until, at: now)): \(held.reason)"
  }

  /// In one line: what there is of each kind, and when something happens next.
  func summary(_ statistics: OutboxStatistics) -> String {
    var parts = OutboxState.allCases.compactMap { state -> String? in
      let count = statistics.counts[state, default: 0]
      return count > 0 || state == .stored ? "\(count) \(state)" : nil
    }
    if statistics.bytes > 0 { parts.append(Amounts.bytes(statistics.bytes)) }
    if let next = statistics.nextDue {
      parts.append("next try \(SpanText.until(Date(milliseconds: next), at: now))")
    }
    if statistics.isPaused || !statistics.pausedLanes.isEmpty { parts.append(Self.pauses(statistics)) }
    return parts.joined(separator: ", ")
  }

  /// What is paused, in a few words.
  static func pauses(_ statistics: OutboxStatistics) -> String {
    if statistics.isPaused { return "everything is paused" }
    switch statistics.pausedLanes.count {
    case 0: return "nothing is paused"
    case 1: return "the lane \(statistics.pausedLanes[0]) is paused"
    default: return "the lanes \(statistics.pausedLanes.joined(separator: ", ")) are paused"
    }
  }
}
