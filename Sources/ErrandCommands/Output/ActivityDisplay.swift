import ErrandCore

/// Shows an activity: on a terminal as one line that is redrawn, and elsewhere as a line each time that it
/// appears.
final class ActivityDisplay: LiveLine {
  private struct State {
    var line: ActivityLine
    var now = RequestActivity.Snapshot()
    var isDrawn = false
    var isOver = false
  }

  private let activity: RequestActivity
  private let output: OutputDescriptor
  private let redraws: Bool
  private let clock: any Clock<Duration>
  private let state: Locked<State>

  /// - Parameter redraws: False for an output that keeps every written line, such as a file.
  init(
    _ text: String, _ output: OutputDescriptor, redraws: Bool, clock: any Clock<Duration> = ContinuousClock()
  ) {
    activity = RequestActivity(text, clock: clock)
    self.output = output
    self.redraws = redraws
    self.clock = clock
    state = Locked(State(line: ActivityLine(text)))
  }

  /// Runs work, and shows the activity if the work takes long. After success, an indicator that has just appeared
  /// stays for its minimum time, unless other output has replaced it.
  func during(_ work: (RequestActivity) async throws -> Void) async throws {
    let drawing = Task { await draw() }
    defer {
      drawing.cancel()
      end()
    }
    try await work(activity)
    if state.withLock({ $0.isDrawn }) {
      for await now in activity.updates where !now.isShown { break }
    }
  }

  func clear() { state.withLock { wipe(&$0) } }

  func end() {
    state.withLock { state in
      wipe(&state)
      state.isOver = true
    }
  }

  private func draw() async {
    var turning: Task<Void, any Error>?
    defer { turning?.cancel() }
    for await now in activity.updates {
      show(now)
      if !redraws || !now.isShown {
        turning?.cancel()
        turning = nil
      } else if turning == nil {
        turning = Task {
          while true {
            try await clock.sleep(for: ActivityLine.interval)
            turn()
          }
        }
      }
    }
  }

  // The lock is held while writing, so that wiping and drawing keep their order.

  private func show(_ now: RequestActivity.Snapshot) {
    state.withLock { state in
      let appears = now.isShown && !state.now.isShown
      state.now = now
      if !now.isShown { return wipe(&state) }
      guard appears, !state.isOver else { return }
      if redraws {
        drawLine(&state)
      } else if !state.line.plain.isEmpty {
        try? output.write("\(state.line.plain)\n")
      }
    }
  }

  private func turn() {
    state.withLock { state in
      if state.now.isShown, !state.isOver { drawLine(&state) }
    }
  }

  private func drawLine(_ state: inout State) {
    state.isDrawn = true
    try? output.write("\r\(state.line.next(state.now.fraction, width: output.width))\u{1B}[K")
  }

  private func wipe(_ state: inout State) {
    if state.isDrawn { try? output.write("\r\u{1B}[K") }
    state.isDrawn = false
  }
}

/// The line that shows an activity. Pure: the fraction done and the width are passed in.
struct ActivityLine: Sendable {
  private static let signs = ["|", "/", "-", "\\"]

  /// How long each sign is shown.
  static let interval = Duration.milliseconds(100)

  private let label: String
  private var turns = 0

  init(_ text: String) {
    let text = ControlEscaper.line(text)
    label = text.isEmpty ? "" : "\(text) …"
  }

  /// The line for an output that is not a terminal.
  var plain: String { label }

  /// Returns the line with the next sign.
  mutating func next(_ fraction: Double?, width: Int) -> String {
    defer { turns += 1 }
    let sign = Self.signs[turns % Self.signs.count]
    let tail = fraction.map { "  \(Self.percent($0))" } ?? ""
    // The last column stays free: some terminals wrap when it is filled.
    let room = max(0, width - 1 - sign.count - tail.count)
    return String((sign + (label.isEmpty ? "" : " \(label)").prefix(room) + tail).prefix(max(1, width - 1)))
  }

  private static func percent(_ fraction: Double) -> String {
    let number = "\(Int((fraction * 1000).rounded()) / 10)"
    return String(repeating: " ", count: max(0, 3 - number.count)) + number + "%"
  }
}
