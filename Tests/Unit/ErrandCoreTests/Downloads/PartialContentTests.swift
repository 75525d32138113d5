import Testing

@testable import ErrandCore

@Suite struct PartialContentTests {
  private func head(_ status: Int, _ fields: HTTPFields) -> ResponseHead {
    ResponseHead(status: HTTPStatus(status), fields: fields)
  }

  private func partial(_ fields: HTTPFields) -> PartialContent? {
    PartialContent(url: "http://h/", head: head(200, fields))
  }

  @Test func `only an unencoded response that has a strong validator can be resumed`() {
    #expect(partial(["ETag": "\"a\""])?.validator == "\"a\"")
    #expect(partial(["ETag": "W/\"a\""]) == nil)
    #expect(partial([:]) == nil)
    let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
    #expect(
      partial(["Last-Modified": modified, "Date": "Sun, 06 Nov 1994 08:49:38 GMT"])?.validator == modified)
    #expect(partial(["Last-Modified": modified, "Date": modified]) == nil)
    #expect(partial(["Last-Modified": modified]) == nil)
    #expect(partial(["ETag": "\"a\"", "Content-Encoding": "gzip"]) == nil)
  }

  @Test func `only the exact rest of the same version is appended`() throws {
    let part = try #require(partial(["ETag": "\"a\"", "Content-Length": "10"]))
    func decide(_ status: Int, _ fields: HTTPFields) -> PartialContent.Decision {
      part.decide(head(status, fields), after: 4)
    }
    #expect(decide(206, ["Content-Range": "bytes 4-9/10", "ETag": "\"a\""]) == .append(end: 10, total: 10))
    #expect(decide(206, ["Content-Range": "bytes 4-9/10", "ETag": "\"b\""]) == .askAgain)
    #expect(decide(206, ["Content-Range": "bytes 3-9/10", "ETag": "\"a\""]) == .askAgain)
    #expect(decide(206, ["Content-Range": "bytes 4-10/11", "ETag": "\"a\""]) == .askAgain)
    #expect(decide(206, ["Content-Range": "bytes 4-10/10", "ETag": "\"a\""]) == .askAgain)
    #expect(decide(206, [:]) == .askAgain)
    #expect(decide(206, ["ETag": "\"a\""]) == .askAgain)
    #expect(decide(206, ["Content-Range": "bytes 4-9/*", "ETag": "\"a\""]) == .append(end: 10, total: 10))
    #expect(decide(416, ["Content-Range": "bytes */3"]) == .askAgain)
    #expect(decide(200, ["ETag": "\"b\""]) == .startOver)
  }

  @Test func `the rest is appended only if it has the validator of the part`() throws {
    let range = "bytes 4-9/10"
    let tagged = try #require(partial(["ETag": "\"a\"", "Content-Length": "10"]))
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    let dated = try #require(
      partial(["Last-Modified": date, "Date": "Sun, 06 Nov 1994 08:49:38 GMT", "Content-Length": "10"]))
    func decide(_ part: PartialContent, _ fields: HTTPFields) -> PartialContent.Decision {
      var fields = fields
      fields["Content-Range"] = range
      return part.decide(head(206, fields), after: 4)
    }
    let rest = PartialContent.Decision.append(end: 10, total: 10)
    #expect(decide(tagged, ["ETag": "\"a\""]) == rest)
    #expect(decide(tagged, ["ETag": "\"a\"", "Last-Modified": date]) == rest)
    for fields in [
      [:], ["Last-Modified": date], ["ETag": "W/\"a\""], ["ETag": "\"A\""], ["ETag": "\"a\", \"b\""],
    ] as [HTTPFields] {
      #expect(decide(tagged, fields) == .askAgain, "\(fields)")
    }
    #expect(decide(dated, ["Last-Modified": date]) == rest)
    #expect(decide(dated, ["Last-Modified": date, "ETag": "\"a\""]) == rest)
    #expect(decide(dated, [:]) == .askAgain)
    #expect(decide(dated, ["ETag": "\"a\""]) == .askAgain)
    #expect(decide(dated, ["Last-Modified": "Sun, 06 Nov 1994 08:49:36 GMT"]) == .askAgain)
  }

  @Test func `of all successful statuses only 200 and 203 restart the download with the whole body`() throws {
    let part = try #require(partial(["ETag": "\"a\"", "Content-Length": "10"]))
    func decide(_ status: Int) -> PartialContent.Decision { part.decide(head(status, [:]), after: 4) }
    for status in [200, 203] { #expect(decide(status) == .startOver) }
    for status in [201, 202, 204, 205, 206, 226, 304, 416] { #expect(decide(status) == .askAgain) }
    for status in [404, 500] { #expect(decide(status) == .startOver) }
  }

  @Test(arguments: [
    ("bytes=500-599", "bytes 500-599/1000", 100), ("bytes=500-599", "bytes 500-549/550", 50),
    ("Bytes = 500-", "bytes 500-999/1000", 500), ("bytes=0-0", "bytes 0-0/*", 1),
    // The start of these ranges is unknown, so the response is not checked against them.
    ("bytes=-100", "bytes 900-999/1000", 100), ("bytes=0-1,5-6", "bytes 0-1/10", 2),
    ("items=1-2", "none", nil),
  ])
  func `the expected length is the length of the caller's range`(asked: String, range: String, length: Int64?)
    throws
  {
    let request = Request.get("http://h/").field("Range", asked)
    #expect(
      try ContentRange.checked(head(206, ["Content-Range": range]), of: request, isFile: true)?.count
        == length, "\(asked)")
  }

  @Test(arguments: [
    ("bytes=500-599", "bytes 0-99/1000"), ("bytes=500-599", "bytes 500-600/1000"),
    ("bytes=500-599", "bytes 501-599/1000"), ("bytes=500-", "bytes 499-999/1000"),
    ("bytes=500-599", "nonsense"),
    ("bytes=500-", ""), ("BYTES=5-9223372036854775807", "bytes 4-9/10"),
  ])
  func `a response with a range other than the caller's is refused`(asked: String, range: String) {
    let request = Request.get("http://h/").field("Range", asked)
    let error = #expect(throws: RequestError.self) {
      _ = try ContentRange.checked(head(206, ["Content-Range": range]), of: request, isFile: false)
    }
    #expect(error?.code == .invalidResponse, "\(asked)")
  }
}
