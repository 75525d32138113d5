import ErrandOutbox

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
