import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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
      ("idempotency key", record.idempotencyKey), ("answer", record.response.map { "\(Status($0.status))" }),
    ]
    if record.response?.isWhole == false { facts.append(("", "only the first part of its body was kept")) }
    let known = facts.compactMap { name, value in value.map { (name, $0) } }
    return TwoColumns.lines(known)
      + (record.response?.fields ?? []).map { "    \($0.joined(separator: ": "))" }
  }

  private func date(_ date: Date) -> String {
    let distance = date > now ? SpanText.until(date, at: now) : SpanText.since(date, at: now)
    return "\(date.formatted(.iso8601)) (\(distance))"
  }
}
