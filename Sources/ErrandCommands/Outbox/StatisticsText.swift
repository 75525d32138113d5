import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Formats the statistics of an outbox for people.
struct StatisticsText: Sendable {
  let now: Date

  func lines(_ statistics: OutboxStatistics) -> [String] {
    var facts = OutboxState.allCases.map { ("\($0)", "\(statistics.counts[$0, default: 0])") }
    facts.append(("bytes", Amounts.bytes(statistics.bytes)))
    // The size includes requests that are over and not yet forgotten, as the outbox's size limit does.
    if statistics.bytesInAll > statistics.bytes {
      facts.append(("in all", Amounts.bytes(statistics.bytesInAll)))
    }
    if let oldest = statistics.oldest {
      facts.append(("oldest", SpanText.since(Date(milliseconds: oldest), at: now)))
    }
    if let next = statistics.nextDue {
      facts.append(("next attempt", SpanText.until(Date(milliseconds: next), at: now)))
    }
    let lines = TwoColumns.lines(facts)
    return statistics.isPaused || !statistics.pausedLanes.isEmpty ? lines + [Self.pauses(statistics)] : lines
  }

  /// Describes an origin to which nothing is sent for a while.
  func line(_ held: HeldOrigin) -> String {
    "held: \(held.origin), next attempt \(SpanText.until(held.until, at: now)): \(held.reason)"
  }

  /// Returns one line: the count of each state, the size, and when the next attempt is due.
  func summary(_ statistics: OutboxStatistics) -> String {
    var parts = OutboxState.allCases.compactMap { state -> String? in
      let count = statistics.counts[state, default: 0]
      return count > 0 || state == .stored ? "\(count) \(state)" : nil
    }
    if statistics.bytes > 0 { parts.append(Amounts.bytes(statistics.bytes)) }
    if let next = statistics.nextDue {
      parts.append("next attempt \(SpanText.until(Date(milliseconds: next), at: now))")
    }
    if statistics.isPaused || !statistics.pausedLanes.isEmpty { parts.append(Self.pauses(statistics)) }
    return parts.joined(separator: ", ")
  }

  /// Returns what is paused, in a few words.
  static func pauses(_ statistics: OutboxStatistics) -> String {
    if statistics.isPaused { return "everything is paused" }
    switch statistics.pausedLanes.count {
    case 0: return "nothing is paused"
    case 1: return "the lane \(statistics.pausedLanes[0]) is paused"
    default: return "the lanes \(statistics.pausedLanes.joined(separator: ", ")) are paused"
    }
  }
}
