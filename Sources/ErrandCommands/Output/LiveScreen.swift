/// Several lines on a terminal that are redrawn together.
struct LiveScreen: Sendable {
  private let outlet: Outlet
  private var drawn = 0

  init(_ outlet: Outlet) { self.outlet = outlet }

  /// Draws the lines in the place of those drawn before.
  /// - Parameter lines: Each must be shorter than the terminal's width, and they must be fewer than its
  ///   lines.
  mutating func draw(_ lines: [String]) throws {
    var text = drawn > 0 ? "\u{1B}[\(drawn)A\r" : "\r"
    for line in lines { text += "\(line)\u{1B}[K\n" }
    // Clears lines that were drawn before and are not needed now.
    text += "\u{1B}[J"
    drawn = lines.count
    try outlet.write(text)
  }

  /// Ends drawing, and leaves the last lines.
  func end() { try? outlet.write("\r") }
}
