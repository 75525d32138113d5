import ErrandTesting

extension LogLine {
  /// What users and a network did, in order.
  static func merged(_ lines: [LogLine], _ tries: [SimulatedTry]) -> [LogLine] {
    (lines + tries.flatMap(\.log)).enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element)
  }
}

extension SimulatedTry {
  fileprivate var log: [LogLine] {
    var lines = [LogLine(time: began, text: "  try \(index) of #\(ask ?? -1): \(method) \(url)")]
    if let seen { lines.append(LogLine(time: seen, text: "  try \(index) is with the server")) }
    if let end, let ended { lines.append(LogLine(time: ended, text: "  try \(index) ended: \(end)")) }
    return lines
  }
}
