import ErrandCore

/// A line on a terminal that is redrawn during a transfer.
protocol LiveLine: Sendable {
  /// Removes the line before other output is written. It may be drawn again below that.
  func clear()
  /// Removes the line for good.
  func end()
}

/// Draws progress on a terminal, in one line that is redrawn.
final class ProgressBar: LiveLine {
  private struct State {
    var line: ProgressLine
    var isDrawn = false
  }

  private let output: OutputDescriptor
  private let started = ContinuousClock.now
  private let state: Locked<State>

  /// - Parameter name: The name of the file. It may come from a server, so control characters are escaped.
  init(_ output: OutputDescriptor, name: String) {
    self.output = output
    let shown = ControlEscaper.line(name)
    state = Locked(State(line: ProgressLine(name: shown.count > 30 ? "\(shown.prefix(27))..." : shown)))
  }

  func update(_ progress: TransferProgress) {
    let width = output.width
    let line: String? = state.withLock { state in
      let line = state.line.line(for: progress, at: started.duration(to: .now), width: width)
      if line != nil { state.isDrawn = true }
      return line
    }
    if let line { try? output.write("\r\(line)\u{1B}[K") }
  }

  /// Removes the line before other output is written.
  func clear() {
    let wasDrawn = state.withLock { state in
      defer { state.isDrawn = false }
      return state.isDrawn
    }
    if wasDrawn { try? output.write("\r\u{1B}[K") }
  }

  /// Removes the line for good. No progress is reported after this.
  func end() { clear() }
}

/// The line that shows the progress of a transfer. Pure: the time and the width are passed in.
struct ProgressLine: Sendable {
  private let name: String
  private var began: (time: Duration, bytes: Int64)?
  private var lastShown: Duration?
  private var way = Way.none
  private var attempt = 0

  private enum Way: Sendable { case none, sending, receiving }

  /// The shortest time between two lines; a shorter one would only flicker.
  static let interval = Duration.milliseconds(100)

  init(name: String) { self.name = name }

  /// Returns the line at this moment, or nil if it need not be redrawn yet.
  mutating func line(for progress: TransferProgress, at now: Duration, width: Int) -> String? {
    let receives = progress.received > 0 || progress.receivedTotal != nil
    let newWay: Way = receives ? .receiving : .sending
    let (done, total) =
      receives
      ? (progress.received, progress.receivedTotal) : (progress.sent, progress.sentTotal)
    if way != newWay || attempt != progress.attempt {
      (way, attempt) = (newWay, progress.attempt)
      began = (now, done)
      lastShown = nil
    }
    // A request without a body has nothing to show until its response arrives.
    if !receives, total ?? 0 == 0, done == 0 { return nil }
    if let lastShown, now - lastShown < Self.interval, done != total { return nil }
    lastShown = now
    return draw(done, total, now, width)
  }

  private func draw(_ done: Int64, _ total: Int64?, _ now: Duration, _ width: Int) -> String {
    let elapsed = now - (began?.time ?? now)
    let rate = elapsed.seconds > 0.05 ? Double(done - (began?.bytes ?? 0)) / elapsed.seconds : nil
    var tail = total.map { "\(Amounts.bytes(done)) of \(Amounts.bytes($0))" } ?? Amounts.bytes(done)
    if let rate, rate >= 1 {
      tail += "  \(Amounts.bytes(Int64(rate)))/s"
      if let total, done < total {
        tail += "  \(Amounts.clock(.seconds(min(Double(total - done) / rate, 1e7)))) left"
      } else {
        tail += "  \(Amounts.clock(elapsed))"
      }
    }
    if attempt > 1 { tail += "  attempt \(attempt)" }
    guard let total, total > 0 else { return fit("\(name)  \(tail)", width) }
    let percent = Int(Double(done) / Double(total) * 100)
    let number = String(repeating: " ", count: max(0, 3 - "\(percent)".count)) + "\(percent)%"
    // The longest of the usual tails has 44 characters; with that much reserved, the bar keeps its length.
    let room = min(30, width - 1 - name.count - number.count - max(tail.count, 44) - 6)
    guard room >= 5 else { return fit("\(name)  \(number)  \(tail)", width) }
    let filled = room * percent / 100
    let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: room - filled)
    return "\(name)  \(number)  [\(bar)]  \(tail)"
  }

  private func fit(_ line: String, _ width: Int) -> String {
    // The last column stays free: some terminals wrap when it is filled.
    line.count < width ? line : String(line.prefix(max(1, width - 1)))
  }
}
