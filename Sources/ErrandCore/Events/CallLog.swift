#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

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
  private let output: @Sendable (String) -> Void

  /// Makes a log.
  /// - Parameters:
  ///   - level: The level of detail.
  ///   - write: Receives each line, without a line end, possibly on several threads at once.
  package init(level: Level, _ write: @escaping @Sendable (String) -> Void) {
    self.level = level
    output = write
  }

  public func record(_ event: CallEvent) {
    if level == .debug { return output("errand \(event.time.shownShort) \(event)") }
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
    output("errand #\(event.call) \(LogText.line("\(event.request)")): \(LogText.line(ending))")
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

extension CallLog {
  /// The log on standard error that the environment variable `ERRAND_LOG` enables, with the value `info` or
  /// `debug`; nil without it.
  static let ofEnvironment: CallLog? = {
    guard let text = unsafe getenv("ERRAND_LOG"), let level = unsafe Level(rawValue: String(cString: text))
    else { return nil }
    return CallLog(level: level, LogText.writeToStandardError)
  }()
}

/// Formats lines of a log, and descriptions, which may become lines of one.
package enum LogText {
  /// Writes a line to standard error.
  package static func writeToStandardError(_ line: String) {
    // One system call for each line, so that the lines of several threads do not mix.
    let bytes = Array("\(line)\n".utf8)
    unsafe bytes.withUnsafeBytes { bytes in _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
  }

  /// Returns the text with each control character escaped, so that no name or message can begin another line.
  package static func line(_ text: String) -> String {
    // Most texts are plain ASCII, which needs no look-up.
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var line = ""
    for scalar in text.unicodeScalars {
      if isControl(scalar) {
        line += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        line.unicodeScalars.append(scalar)
      }
    }
    return line
  }

  /// True for characters that end a line, or change how a terminal shows it.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
