import ErrandOutbox

/// What has happened to a stored request, in one line for a log.
enum OutboxRecordLine {
  static func text(_ record: OutboxRecord) -> String {
    let lane = record.lane.map { " [\($0)]" } ?? ""
    return "\(JSONText.date(record.changed)) \(record.id)\(lane) \(what(record)): \(record.request)"
  }

  private static func what(_ record: OutboxRecord) -> String {
    switch record.state {
    case .stored:
      guard let reason = record.reason else { return "stored" }
      let next = record.nextTry.map { ", next try at \(JSONText.date($0))" } ?? ""
      return "try \(record.tries) failed (\(reason))\(next)"
    case .trying: return "try \(record.tries)"
    case .delivered: return "delivered (\(record.answer.map { "\($0.status)" } ?? "accepted"))"
    case .setAside: return "set aside (\(record.reason ?? ""))"
    case .expired: return "expired"
    case .dropped: return "dropped (\(record.reason ?? ""))"
    }
  }
}
