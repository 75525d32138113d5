/// One line of the tour.
struct TourNote: Sendable, Hashable {
  enum Speaker: String, Sendable {
    case client
    case server
    /// A promise that was not kept.
    case broken = "BROKEN"
  }

  let speaker: Speaker
  let text: String

  var isBroken: Bool { speaker == .broken }

  /// Aligned, and harmless for a terminal.
  var line: String { "   \(speaker.rawValue)  \(ControlEscaper.line(text))" }
}
