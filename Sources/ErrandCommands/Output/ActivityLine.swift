import ErrandCore

/// The line that shows an activity. Pure: the fraction done and the width are passed in.
struct ActivityLine: Sendable {
  private static let signs = ["|", "/", "-", "\\"]

  /// How long one position of the sign is shown.
  static let interval = Duration.milliseconds(100)

  private let label: String
  private var turns = 0

  init(_ text: String) {
    let text = ControlEscaper.line(text)
    label = text.isEmpty ? "" : "\(text) …"
  }

  /// The line for an output that is no terminal.
  var plain: String { label }

  /// Returns the line with its sign moved on.
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
