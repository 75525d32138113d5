import ErrandTesting
import Testing

@testable import ErrandCore

@Suite struct ResponseHeadTests {
  private func head(_ lengths: [String], status: Int = 200) -> ResponseHead {
    var fields = HTTPFields()
    for length in lengths { fields.append("Content-Length", length) }
    return ResponseHead(status: HTTPStatus(status), fields: fields)
  }

  @Test(
    arguments: [
      (["0"], 0), (["0005"], 5), (["9223372036854775807"], .max), (["5", "5"], 5), (["5, 5 ,5"], 5),
      (["5", "05"], 5), ([], nil),
    ] as [([String], Int64?)])
  func `Content-Length may be repeated with the same value`(lengths: [String], length: Int64?) {
    #expect(head(lengths).contentLength == length)
    #expect(head(lengths).announcedLength(to: .get).problem == nil)
  }

  static let unreadable = [
    "", "+2", "-2", "2 2", "2x", "0x2", "2.0", "many", "2,", ",2", "2,3", "٢", "9223372036854775808",
    "18446744073709551618", "99999999999999999999999",
  ]

  @Test(arguments: unreadable)
  func `a Content-Length that is not a number, or is too large, is a problem`(length: String) {
    for head in [head([length]), head(["2", length]), head([length, "2"])] {
      #expect(head.contentLength == nil)
      #expect(head.announcedLength(to: .get).problem != nil)
    }
  }

  @Test(arguments: unreadable)
  func `the Content-Length of a response without a body is ignored`(length: String) {
    #expect(head([length]).announcedLength(to: .head).problem == nil)
    for status in [204, 304] {
      #expect(head([length], status: status).announcedLength(to: .get).problem == nil)
    }
    for status in [200, 206, 302, 404, 500] {
      #expect(head([length], status: status).announcedLength(to: .get).problem != nil)
    }
  }

  @Test func `a response with an unreadable Content-Length is refused, whatever the transport accepts`() async
  {
    let stage = Stage { _ in .response(fields: ["Content-Length": "+2"], body: "ok") }
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(.get("http://a.test/"))
    }
    #expect(error?.code == .invalidResponse)
  }

  @Test func `the Content-Length of a response without a body does not count against the memory limit`()
    async throws
  {
    let stage = Stage { _ in .response(status: 304, fields: ["Content-Length": "1000000000000"]) }
    let response = try await stage.client.send(.get("http://a.test/").acceptingAnyStatus())
    #expect(response.status == 304)
  }
}
