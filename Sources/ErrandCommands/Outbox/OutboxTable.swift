import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Formats stored requests as a table. Pure: the time and the width are passed in.
struct OutboxTable: Sendable {
  private static let longestLane = 20

  let now: Date

  /// - Parameter width: The greatest length of a line; nil for no limit.
  func lines(_ records: [OutboxRecord], width: Int?) -> [String] {
    let idLength = ShortID.length(of: records.map(\.id))
    var columns: [(title: String, cell: (OutboxRecord) -> String)] = [
      ("ID", { String($0.id.suffix(idLength)) }), ("STATE", { "\($0.state)" }), ("LANE", lane),
      ("ATTEMPTS", { "\($0.attempts)" }), ("AGE", { SpanText.length(now.timeIntervalSince($0.created)) }),
      ("NEXT", next), ("REQUEST", { request($0, isNarrow: width != nil) }),
    ]
    // On a terminal, an empty lane column is left out.
    if width != nil, records.allSatisfy({ $0.lane == nil }) { columns.removeAll { $0.title == "LANE" } }
    let rows =
      [columns.map(\.title)] + records.map { record in columns.map { ControlEscaper.line($0.cell(record)) } }
    return TextTable.lines(rows).map { fit($0, width) }
  }

  private func lane(_ record: OutboxRecord) -> String {
    guard let lane = record.lane else { return "-" }
    return lane.count > Self.longestLane ? "\(lane.prefix(Self.longestLane - 1))…" : lane
  }

  /// Returns the method and URL, with the response's status or the failure's reason.
  private func request(_ record: OutboxRecord, isNarrow: Bool) -> String {
    let scheme = isNarrow ? record.url.firstRange(of: "://")?.upperBound : nil
    let request = "\(record.method) \(record.url[(scheme ?? record.url.startIndex)...])"
    if record.state == .delivered { return request + (record.response.map { "  → \($0.status)" } ?? "") }
    return request + (record.reason.map { "  (\($0))" } ?? "")
  }

  private func next(_ record: OutboxRecord) -> String {
    guard record.state == .stored else { return "-" }
    return record.nextAttempt.map { SpanText.until($0, at: now) } ?? "now"
  }

  private func fit(_ line: String, _ width: Int?) -> String {
    // The last column stays free: some terminals wrap when it is filled.
    guard let width, line.count >= width else { return line }
    return String(line.prefix(max(1, width - 2))) + "…"
  }
}

/// Shortens long IDs to a distinct end, because many IDs share a beginning: an outbox creates IDs that begin
/// with the time.
enum ShortID {
  private static let least = 8
  /// IDs of at most this length are shown whole.
  private static let short = 12

  /// Returns the number of characters at the end of each ID to show.
  static func length(of ids: [String]) -> Int {
    let longest = ids.map(\.count).max() ?? least
    guard longest > short else { return max(least, longest) }
    let sorted = Set(ids).map { String($0.reversed()) }.sorted()
    var length = least
    for (one, next) in zip(sorted, sorted.dropFirst()) {
      length = max(length, one.commonPrefix(with: next) + 1)
    }
    return length
  }
}

extension String {
  /// Returns the length of the common prefix.
  fileprivate func commonPrefix(with other: String) -> Int {
    zip(self, other).prefix { $0 == $1 }.count
  }
}

/// The details of a stored request, as text.
struct OutboxRecordText: Sendable {
  let now: Date

  func lines(_ record: OutboxRecord) -> [String] {
    var facts: [(String, String?)] = [
      ("ID", record.id), ("request", record.request), ("state", "\(record.state)"), ("reason", record.reason),
      ("lane", record.lane), ("priority", record.priority == "default" ? nil : record.priority),
      ("attempts", "\(record.attempts)"),
    ]
    facts += [
      ("next attempt", record.state == .stored ? record.nextAttempt.map(date) ?? "now" : nil),
      ("stored", date(record.created)), ("changed", date(record.changed)),
      ("expires", record.expires.map(date)), ("size", Amounts.bytes(record.size)),
      ("idempotency key", record.idempotencyKey),
      ("response", record.response.map { "\(HTTPStatus($0.status))" }),
    ]
    if record.response?.isWhole == false { facts.append(("", "only the first part of its body was stored")) }
    let known = facts.compactMap { name, value in value.map { (name, $0) } }
    return TwoColumns.lines(known)
      + (record.response?.fields ?? []).map { "    \($0.joined(separator: ": "))" }
  }

  private func date(_ date: Date) -> String {
    let distance = date > now ? SpanText.until(date, at: now) : SpanText.since(date, at: now)
    return "\(date.formatted(.iso8601)) (\(distance))"
  }
}

/// The latest event of a stored request, as one line of a log.
enum OutboxRecordLine {
  static func text(_ record: OutboxRecord) -> String {
    let lane = record.lane.map { " [\($0)]" } ?? ""
    return "\(JSONText.date(record.changed)) \(record.id)\(lane) \(what(record)): \(record.request)"
  }

  private static func what(_ record: OutboxRecord) -> String {
    switch record.state {
    case .stored:
      guard let reason = record.reason else { return "stored" }
      let next = record.nextAttempt.map { ", next attempt at \(JSONText.date($0))" } ?? ""
      return "attempt \(record.attempts) failed (\(reason))\(next)"
    case .attempting: return "attempt \(record.attempts)"
    case .delivered: return "delivered (\(record.response.map { "\($0.status)" } ?? "accepted"))"
    case .deadLettered: return "dead letter (\(record.reason ?? ""))"
    case .expired: return "expired"
    case .dropped: return "dropped (\(record.reason ?? ""))"
    }
  }
}

/// Formats the statistics of an outbox for people.
struct StatisticsText: Sendable {
  /// The greatest number of lanes to describe.
  private static let mostLanes = 20

  let now: Date

  func lines(_ statistics: OutboxStatistics) -> [String] {
    var facts = OutboxState.allCases.map { ("\($0)", "\(statistics.counts[$0, default: 0])") }
    facts.append(("bytes", Amounts.bytes(statistics.bytes)))
    // This size includes finished requests that are not deleted yet, as does the outbox's size limit.
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

  /// Describes an origin that receives no requests for a while.
  func line(_ held: HeldOrigin) -> String {
    "held: \(held.origin)\(held.key.map { ", \($0)" } ?? ""), next attempt \(SpanText.until(held.until, at: now)): \(held.reason)"
  }

  /// Describes the lanes: at most 20, and then the number of the others.
  func lines(_ lanes: [LaneStatistics]) -> [String] {
    let named = lanes.filter { $0.lane != nil }
    let lines = named.prefix(Self.mostLanes).map { lane in
      let counts = OutboxState.allCases.compactMap { state in lane.counts[state].map { "\($0) \(state)" } }
      let age = SpanText.since(lane.oldest, at: now)
      return "lane \(lane.lane ?? ""): \(counts.joined(separator: ", ")), the oldest \(age)"
    }
    let rest = named.count - lines.count
    return rest > 0 ? lines + ["and \(rest) more lanes: --output json shows all"] : lines
  }

  /// Returns one line with the count of each state, the size, and the time of the next attempt.
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

  /// Describes which lanes are paused.
  static func pauses(_ statistics: OutboxStatistics) -> String {
    if statistics.isPaused { return "everything is paused" }
    switch statistics.pausedLanes.count {
    case 0: return "nothing is paused"
    case 1: return "the lane \(statistics.pausedLanes[0]) is paused"
    default: return "the lanes \(statistics.pausedLanes.joined(separator: ", ")) are paused"
    }
  }
}
