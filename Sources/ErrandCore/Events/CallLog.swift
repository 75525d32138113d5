/// Writes calls as lines of text.
///
/// ```swift
/// configuration.listeners = [.log(level: .info) { line in print(line) }]
/// ```
public struct CallLog: EventListener {
  /// The level of detail of a log.
  public enum Level: String, Sendable, Hashable {
    /// One line for each call, at its end.
    case info
    /// A line for each event.
    case debug
  }

  private let level: Level
  private let write: @Sendable (String) -> Void

  /// Makes a log.
  /// - Parameters:
  ///   - level: The level of detail.
  ///   - write: Receives each line, without a line end, possibly on several threads at once.
  package init(level: Level, _ write: @escaping @Sendable (String) -> Void) {
    self.level = level
    self.write = write
  }

  public func record(_ event: CallEvent) {
    if level == .debug { return write("errand \(event.time.shownShort) \(event)") }
    guard event.isEnd else { return }
    let ending: String
    switch event.kind {
    case .finished(let response):
      let facts = [
        response.timing.map { $0.total.shownShort }, response.isCached ? "from the cache" : nil,
        event.attempt > 1 ? "\(event.attempt) attempts" : nil,
      ]
      ending = (["\(response)"] + facts.compactMap { $0 }).joined(separator: ", ")
    default: ending = event.kind.description
    }
    write("errand #\(event.call) \(LogText.line("\(event.request)")): \(LogText.line(ending))")
  }
}

extension EventListener where Self == CallLog {
  /// Returns a log that writes one line for each call, or for each event.
  /// - Parameters:
  ///   - level: The level of detail. Default: `info`, one line for each call.
  ///   - write: Receives each line, without a line end, possibly on several threads at once.
  public static func log(
    level: CallLog.Level = .info, _ write: @escaping @Sendable (String) -> Void
  ) -> CallLog { CallLog(level: level, write) }
}
