#if os(Linux)
  import ErrandTesting

  extension World {
    /// What its users and its network did, in order.
    var log: [LogLine] {
      let lines = ledger.log + network.tries.flatMap(\.log)
      return lines.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
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
#endif
