import ErrandCore
import Testing

@testable import ErrandCommands

@Suite struct ProgressLineTests {
  private func receiving(_ count: Int64, of total: Int64?, attempt: Int = 1) -> TransferProgress {
    var progress = TransferProgress(attempt: attempt)
    progress.received = count
    progress.receivedTotal = total
    return progress
  }

  @Test func `a progress line shows the percentage, the rate and the time`() {
    var line = ProgressLine(name: "film")
    #expect(
      line.line(for: receiving(0, of: 1000), at: .zero, width: 80)
        == "film    0%  [\(bar(0, 21))]  0 B of 1.0 kB")
    #expect(
      line.line(for: receiving(500, of: 1000), at: .seconds(1), width: 80)
        == "film   50%  [\(bar(10, 21))]  500 B of 1.0 kB  500 B/s  0:01 left")
    #expect(
      line.line(for: receiving(1000, of: 1000), at: .seconds(2), width: 80)
        == "film  100%  [\(bar(21, 21))]  1.0 kB of 1.0 kB  500 B/s  0:02")
  }

  @Test func `a progress line is not drawn too often, except at the end`() {
    var line = ProgressLine(name: "film")
    #expect(line.line(for: receiving(1, of: 9), at: .zero, width: 80) != nil)
    #expect(line.line(for: receiving(2, of: 9), at: .milliseconds(50), width: 80) == nil)
    #expect(line.line(for: receiving(9, of: 9), at: .milliseconds(60), width: 80) != nil)
  }

  @Test func `a progress line without a total has no bar`() {
    var line = ProgressLine(name: "film")
    #expect(line.line(for: receiving(5000, of: nil), at: .zero, width: 80) == "film  5.0 kB")
  }

  @Test func `a resumed download's rate counts only new bytes`() {
    var line = ProgressLine(name: "f")
    _ = line.line(for: receiving(9000, of: 10_000), at: .zero, width: 80)
    let shown = line.line(for: receiving(9500, of: 10_000), at: .seconds(1), width: 80)
    #expect(shown?.contains("500 B/s") ?? false)
  }

  @Test func `a progress line shows the number of a later attempt`() {
    var line = ProgressLine(name: "f")
    #expect(
      line.line(for: receiving(1, of: 2, attempt: 2), at: .zero, width: 80)?.hasSuffix("attempt 2") ?? false)
  }

  @Test(arguments: [10, 20, 40, 60, 80, 200])
  func `a progress line never fills the width`(_ width: Int) throws {
    var line = ProgressLine(name: "a-rather-long-name.mp4")
    let shown = line.line(for: receiving(123_456_789, of: 987_654_321), at: .zero, width: width)
    #expect(try #require(shown).count < width)
  }

  @Test func `a request without a body shows nothing before its response`() {
    var line = ProgressLine(name: "f")
    #expect(line.line(for: TransferProgress(attempt: 1), at: .zero, width: 80) == nil)
  }

  private func bar(_ filled: Int, _ width: Int) -> String {
    String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled)
  }
}
