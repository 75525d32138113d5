/// One line of the tour.
struct TourNote: Sendable, Hashable {
  enum Speaker: String, Sendable {
    case client
    case server
    /// An expectation that was not met.
    case broken = "BROKEN"
  }

  let speaker: Speaker
  let text: String

  var isBroken: Bool { speaker == .broken }

  /// The note as an aligned line, with control characters escaped.
  var line: String { "   \(speaker.rawValue)  \(ControlEscaper.line(text))" }
}
