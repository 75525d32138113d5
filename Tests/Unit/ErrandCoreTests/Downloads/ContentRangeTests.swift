import Testing

@testable import ErrandCore

@Suite struct ContentRangeTests {
  private func range(_ value: String, length: String? = nil) -> ContentRange? {
    var fields: HTTPFields = ["Content-Range": value]
    if let length { fields["Content-Length"] = length }
    return ContentRange(ResponseHead(status: 206, fields: fields))
  }

  @Test func `a range has a start, an end and a total`() {
    let range = range("bytes 5-9/10", length: "5")
    #expect(range?.start == 5 && range?.end == 10 && range?.total == 10)
    #expect(self.range(" BYTES 0-0/*")?.total == nil)
    #expect(self.range("bytes 0-9223372036854775806/9223372036854775807")?.end == .max)
  }

  @Test(arguments: [
    "", "bytes", "bytes ", "bytes 5-9", "bytes 5/10", "bytes -/10", "bytes 5-/10", "bytes -9/10",
    "bytes 9-5/10",
    "bytes 5-10/10", "bytes +5-9/10", "bytes 5-9/-10", "bytes 5-9/10/11", "bytes 5-9-10/11", "bytes 5-9/x",
    "bytes 5-9/", "bytes=5-9/10", "bytes 5 -9/10", "chars 5-9/10", "bytes 0-9223372036854775807/*",
    "bytes 0-9223372036854775808/*", "bytes 99999999999999999999-99999999999999999999/*", "bytes ٥-9/10",
  ])
  func `an invalid value is not parsed as a range`(value: String) {
    #expect(range(value) == nil)
  }

  @Test func `a length that contradicts the range makes it invalid`() {
    #expect(range("bytes 5-9/10", length: "4") == nil)
    #expect(range("bytes 5-9/10", length: "9223372036854775807") == nil)
    // A length that is not a number is ignored.
    #expect(range("bytes 5-9/10", length: "9223372036854775808") != nil)
  }

  @Test func `two Content-Range fields are not parsed as a range`() {
    var fields: HTTPFields = ["Content-Range": "bytes 5-9/10"]
    fields.append("Content-Range", "bytes 4-9/10")
    #expect(ContentRange(ResponseHead(status: 206, fields: fields)) == nil)
  }

  @Test(arguments: ["-1", "+1", "1 ", "", "9223372036854775808", "0x10", "1e3"])
  func `a total that is not a whole number is unknown`(value: String) {
    #expect(ResponseHead(status: 200, fields: ["Content-Length": value]).contentLength == nil)
  }
}
