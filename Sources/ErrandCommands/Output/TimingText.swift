import ErrandCore

/// Formats the timing of a response in two lines.
enum TimingText {
  static func lines(_ timing: Timing) -> [String] {
    var facts = [
      timing.httpVersion.map { "\($0)" },
      timing.connectionReused.map { $0 ? "connection reused" : "new connection" },
    ]
    .compactMap { $0 }
    facts.append(timing.attempts == 1 ? "1 attempt" : "\(timing.attempts) attempts")
    if timing.redirects > 0 {
      facts.append(timing.redirects == 1 ? "1 redirect" : "\(timing.redirects) redirects")
    }
    facts.append("sent \(Amounts.bytes(timing.bytesSent)), received \(Amounts.bytes(timing.bytesReceived))")
    let steps: [(String, Duration?)] = [
      ("queue", timing.queue), ("dns", timing.dns), ("connect", timing.connect), ("tls", timing.tls),
      ("first byte", timing.firstByte), ("total", timing.total),
    ]
    let times = steps.compactMap { name, time in time.map { "\(name) \(Amounts.time($0))" } }
    return ["* \(facts.joined(separator: ", "))", "* \(times.joined(separator: ", "))"]
  }
}
