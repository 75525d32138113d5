import Foundation
import Testing

@testable import ErrandOutbox

@Suite struct LineSplitterTests {
  private func lines(_ text: String, cut length: Int) -> [String] {
    var splitter = LineSplitter()
    var lines: [Data] = []
    let data = Data(text.utf8)
    for start in stride(from: 0, to: data.count, by: length) {
      lines += splitter.lines(in: data[start..<min(start + length, data.count)])
    }
    if let last = splitter.finish() { lines.append(last) }
    return lines.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: 1...12) func `lines are the same wherever the data is split`(_ length: Int) {
    #expect(lines("one\n\nzwö\r\nthree", cut: length) == ["one", "", "zwö\r", "three"])
    #expect(lines("one\n", cut: length) == ["one"])
    #expect(lines("", cut: length) == [])
  }

  @Test func `a line beyond the limit is detected`() {
    var splitter = LineSplitter(limit: 10)
    #expect(splitter.lines(in: Data("0123\n0123456789".utf8)).count == 1)
    #expect(!splitter.isOverfull)
    #expect(splitter.lines(in: Data("x".utf8)).isEmpty)
    #expect(splitter.isOverfull)
  }
}
