/// Lines on a terminal that are drawn over, all of them.
struct LiveScreen: Sendable {
  private let outlet: Outlet
  private var drawn = 0

  init(_ outlet: Outlet) { self.outlet = outlet }

  /// - Parameter lines: None may be as wide as the terminal, nor may they be as many as it has.
  mutating func draw(_ lines: [String]) throws {
    var text = drawn > 0 ? "\u{1B}[\(drawn)A\r" : "\r"
    for line in lines { text += "\(line)\u{1B}[K\n" }
    // What was drawn before may have been longer.
    text += "\u{1B}[J"
    drawn = lines.count
    try outlet.write(text)
  }

  /// What was drawn last stays.
  func end() { try? outlet.write("\r") }
}
