import ErrandCore
import Testing

@testable import ErrandCommands

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct JSONReportTests {
  private struct Read: Decodable {
    let status: Int?
    let fields: [[String]]?
    let body: String?
    let bodyBase64: String?
  }

  private func read(_ text: String) throws -> Read {
    try JSONDecoder().decode(Read.self, from: Data(text.utf8))
  }

  @Test func `a body of text is reported as text, and any other as base64`() throws {
    var report = JSONReport(method: .get, url: "http://a")
    report.setBody(Data("caf\u{e9}".utf8))
    #expect(try read(JSONText.text(report, isPretty: false)).body == "caf\u{e9}")
    report = JSONReport(method: .get, url: "http://a")
    report.setBody(Data([0xFF, 0x00]))
    #expect(try read(JSONText.text(report, isPretty: false)).body == nil)
    #expect(try read(JSONText.text(report, isPretty: true)).bodyBase64 == "/wA=")
  }

  @Test func `header fields keep their order, and repeated names stay separate`() throws {
    var report = JSONReport(method: .get, url: "http://a")
    var fields: HTTPFields = ["B": "1", "A": "2"]
    fields.append("B", "3")
    report.setResponse(200, fields)
    #expect(
      try read(JSONText.text(report, isPretty: false)).fields == [["B", "1"], ["A", "2"], ["B", "3"]])
  }

  @Test func `a report has no character that a terminal interprets, and loses none`() throws {
    let body = "\u{1B}[2J\u{9B}\u{7F}\u{202E}\r\n"
    var report = JSONReport(method: .get, url: "http://a")
    report.setBody(Data(body.utf8))
    let text = JSONText.text(report, isPretty: false)
    #expect(text.unicodeScalars.allSatisfy(ControlEscaper.isHarmless))
    #expect(try read(text).body == body)
  }
}
