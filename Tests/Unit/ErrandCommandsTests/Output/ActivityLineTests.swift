import Testing

@testable import ErrandCommands

@Suite struct ActivityLineTests {
  @Test func `an activity line's spinner moves, and its text does not`() {
    var line = ActivityLine("Loading")
    let shown = (0..<5).map { _ in line.next(nil, width: 80) }
    #expect(shown == ["| Loading …", "/ Loading …", "- Loading …", "\\ Loading …", "| Loading …"])
    #expect(line.plain == "Loading …")
  }

  @Test(arguments: [(0, "  0%"), (0.059, "  5%"), (0.29, " 29%"), (0.999, " 99%"), (1, "100%")])
  func `an activity line shows the percentage`(_ fraction: Double, _ shown: String) {
    var line = ActivityLine("Loading")
    #expect(line.next(fraction, width: 80) == "| Loading …  \(shown)")
  }

  @Test func `an activity line without a text shows only the spinner`() {
    var line = ActivityLine("")
    #expect(line.next(0.5, width: 80) == "|   50%")
    #expect(line.plain == "")
  }

  @Test(arguments: [1, 2, 5, 10, 20, 40, 80])
  func `an activity line never fills the width, and shortens its text before the number`(_ width: Int) {
    var line = ActivityLine("Loading what nobody has ever loaded")
    let shown = line.next(0.5, width: width)
    #expect(shown.count < max(2, width))
    if width >= 10 { #expect(shown.hasSuffix(" 50%")) }
  }

  @Test func `an activity line escapes control characters`() {
    #expect(ActivityLine("a\u{1B}[2Jb\n").plain == "a\\x1b[2Jb\\n …")
  }
}
