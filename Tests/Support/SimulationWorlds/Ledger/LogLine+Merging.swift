import ErrandTesting

extension LogLine {
  /// Merges the log of the users and that of the network, in order of time.
  static func merged(_ lines: [LogLine], _ attempts: [SimulatedAttempt]) -> [LogLine] {
    (lines + attempts.flatMap(\.log)).enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element)
  }
}

extension SimulatedAttempt {
  fileprivate var log: [LogLine] {
    var lines = [LogLine(time: began, text: "  attempt \(index) of #\(ask ?? -1): \(method) \(url)")]
    if let seen { lines.append(LogLine(time: seen, text: "  attempt \(index) is with the server")) }
    if let end, let ended { lines.append(LogLine(time: ended, text: "  attempt \(index) ended: \(end)")) }
    return lines
  }
}
