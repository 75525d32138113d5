import ErrandCore

/// Draws progress on a terminal, in one line that is redrawn.
final class ProgressBar: LiveLine {
  private struct State {
    var line: ProgressLine
    var isDrawn = false
  }

  private let outlet: Outlet
  private let started = ContinuousClock.now
  private let state: Locked<State>

  /// - Parameter name: The name of the file; it may come from a server.
  init(_ outlet: Outlet, name: String) {
    self.outlet = outlet
    let shown = ControlEscaper.line(name)
    state = Locked(State(line: ProgressLine(name: shown.count > 30 ? "\(shown.prefix(27))..." : shown)))
  }

  func update(_ progress: TransferProgress) {
    let width = outlet.width
    let line: String? = state.withLock { state in
      let line = state.line.line(for: progress, at: started.duration(to: .now), width: width)
      if line != nil { state.isDrawn = true }
      return line
    }
    if let line { try? outlet.write("\r\(line)\u{1B}[K") }
  }

  /// Removes the line before something else is written.
  func clear() {
    let wasDrawn = state.withLock { state in
      defer { state.isDrawn = false }
      return state.isDrawn
    }
    if wasDrawn { try? outlet.write("\r\u{1B}[K") }
  }

  /// Removes the line for good: no progress is reported after the last.
  func end() { clear() }
}
