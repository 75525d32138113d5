import ErrandCore
import ErrandObservability

/// Draws each step of a call as a bar on its own line, placed by its time. Pure.
enum WaterfallText {
  private static let longestName = 12

  /// Returns a line for each step, at most `width` columns wide.
  static func lines(_ timeline: CallTimeline, width: Int) -> [String] {
    let spans = timeline.spans
    guard let end = spans.map(\.end).max(), end > timeline.began else { return [] }
    let room = max(10, min(width, 110) - longestName - 16)
    let whole = (end - timeline.began).seconds
    func column(_ time: Duration) -> Int {
      min(room, max(0, Int(((time - timeline.began).seconds / whole * Double(room)).rounded(.down))))
    }
    let attempts = Set(spans.map(\.attempt)).subtracting([0]).count
    var attempt = 0
    return spans.flatMap { span -> [String] in
      let begin = min(column(span.begin), room - 1)
      let length = max(1, column(span.end) - begin)
      let name = span.step.rawValue
      let bar = String(repeating: " ", count: begin) + String(repeating: "=", count: length)
      let time = Amounts.time(span.end - span.begin)
      let line =
        "*  \(name)\(spaces(longestName - name.count))\(spaces(8 - time.count))\(time) |\(bar)"
      guard attempts > 1, span.attempt > attempt else { return [line] }
      attempt = span.attempt
      return ["* attempt \(attempt)", line]
    }
  }

  private static func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}
