import ErrandCore

/// One event in a world.
public struct LogLine: Sendable, CustomStringConvertible {
  let time: Duration
  let text: String

  public var description: String {
    let milliseconds = "\(time.wholeMilliseconds)"
    return String(repeating: " ", count: max(0, 8 - milliseconds.count)) + milliseconds + " ms  " + text
  }
}
