import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct CacheSelectionTests {
  private func stored(
    _ fields: HTTPFields, to request: HTTPFields = [:], at seconds: TimeInterval = 0,
    body: String = "0123456789",
    part: CachedExchange.Part? = nil
  ) -> CachedResponse {
    var response = CachedResponse(
      status: part == nil ? 200 : 206, fields: fields, data: Data(body.utf8),
      url: URL(string: "http://a.test/")!,
      date: Date(timeIntervalSince1970: seconds))
    response.exchange = CachedExchange(
      initialAge: 0, selecting: [Vary(fields).values(in: request, secrets: .standard) { "#\($0)" }],
      part: part)
    return response
  }

  private func selection(_ stored: [CachedResponse?], for request: HTTPFields) -> CacheSelection {
    CacheSelection(stored, for: request, secrets: .standard) { "#\($0)" }
  }

  @Test(
    arguments: [
      (["X-A": "1"], ["X-A": "1"], true), (["X-A": "1"], ["X-A": "2"], false), (["X-A": "1"], [:], false),
      ([:], ["X-A": "1"], false), ([:], [:], true), (["X-A": "1, 2"], ["x-a": " 1 ,2"], true),
      (["X-A": "a"], ["X-A": "A"], false), (["X-A": ""], [:], false),
    ] as [(HTTPFields, HTTPFields, Bool)])
  func `a response is selected by the same values of the fields in Vary`(
    first: HTTPFields, second: HTTPFields, isSelected: Bool
  ) {
    let response = stored(["Vary": "X-A"], to: first)
    #expect((selection([response], for: second).selected != nil) == isSelected)
  }

  @Test func `a field in several lines is the same as in one`() {
    var lines: HTTPFields = ["X-A": "1"]
    lines.append("X-A", "2")
    #expect(selection([stored(["Vary": "x-a"], to: ["X-A": "1,2"])], for: lines).selected != nil)
  }

  @Test func `negotiation fields are compared by their meaning`() {
    for (first, second) in [("en, de", "de,EN"), ("en;q=0.5 , de", "de, en; q=0.5")] {
      let response = stored(["Vary": "Accept-Language"], to: ["Accept-Language": first])
      #expect(selection([response], for: ["Accept-Language": second]).selected != nil)
    }
    let german = stored(
      ["Vary": "Accept-Language", "Content-Language": "de"], to: ["Accept-Language": "en, de"])
    #expect(selection([german], for: ["Accept-Language": "fr;q=0.5, de;q=1.0"]).selected != nil)
    #expect(selection([german], for: ["Accept-Language": "de;q=0.5, fr;q=1.0"]).selected == nil)
    #expect(selection([german], for: ["Accept-Language": "de, fr"]).selected == nil)
    #expect(selection([german], for: [:]).selected == nil)
  }

  @Test func `a secret is compared by its digest, and is not stored`() {
    let response = stored(["Vary": "Cookie"], to: ["Cookie": "id=1"])
    #expect(response.exchange?.selecting == [["#id=1"]])
    #expect(selection([response], for: ["Cookie": "id=1"]).selected != nil)
    #expect(selection([response], for: ["Cookie": "id=2"]).selected == nil)
  }

  @Test func `of several that are selected, the newest is used`() {
    let found = selection([stored([:], at: 1), nil, stored([:], at: 3), stored([:], at: 2)], for: [:])
    #expect(found.selected?.number == 3 && found.variants.map(\.number) == [1, 3, 4])
  }

  @Test func `all entity tags are offered, or the date of the selected response`() {
    let one = stored(["ETag": "\"1\"", "Vary": "A", "Last-Modified": "x"], to: ["A": "1"])
    let two = stored(["ETag": "W/\"2\"", "Vary": "A"], to: ["A": "2"])
    #expect(selection([one, two, one], for: ["A": "1"]).conditions["If-None-Match"] == "\"1\", W/\"2\"")
    #expect(selection([one, two], for: ["A": "1"]).conditions["If-Modified-Since"] == "x")
    #expect(selection([one, two], for: ["A": "3"]).conditions["If-None-Match"] == "\"1\", W/\"2\"")
    let dated = stored(["Vary": "A", "Last-Modified": "y"], to: ["A": "3"])
    #expect(selection([one, dated], for: ["A": "3"]).conditions == ["If-Modified-Since": "y"])
    #expect(selection([stored([:])], for: [:]).conditions.isEmpty)
  }

  @Test func `a 304 is about the response that it names`() {
    let one = stored(["ETag": "\"1\"", "Vary": "A"], to: ["A": "1"], at: 1)
    let two = stored(["ETag": "\"2\"", "Vary": "A"], to: ["A": "2"], at: 2)
    let found = selection([one, two], for: ["A": "1"])
    #expect(found.validated(by: ["ETag": "\"2\""])?.number == 2)
    #expect(found.validated(by: ["ETag": "W/\"1\""])?.number == 1)
    #expect(found.validated(by: ["ETag": "\"3\""]) == nil)
    #expect(found.validated(by: [:])?.number == 1)
    #expect(selection([one, two], for: ["A": "3"]).validated(by: [:]) == nil)
    #expect(selection([one], for: ["A": "3"]).validated(by: [:])?.number == 1)
    #expect(found.validated(by: ["Last-Modified": "z"]) == nil)
  }

  @Test func `a new response replaces the one for the same requests, or the oldest`() {
    let one = stored(["Vary": "A"], to: ["A": "1"], at: 1)
    let two = stored(["Vary": "A"], to: ["A": "2"], at: 2)
    #expect(selection([one, two], for: ["A": "2"]).number(for: two, among: 1...8) == 2)
    let three = stored(["Vary": "A"], to: ["A": "3"], at: 3)
    #expect(selection([nil, one, two], for: ["A": "3"]).number(for: three, among: 1...8) == 1)
    #expect(selection([two, one], for: ["A": "3"]).number(for: three, among: 1...2) == 2)
    #expect(selection([stored([:])], for: [:]).number(for: stored(["X": "new"]), among: 1...8) == 1)
    // A response for all requests is the only one.
    #expect(selection([one, two], for: [:]).number(for: stored([:]), among: 1...8) == 1)
    #expect(selection([one, two], for: [:]).outdated(by: stored([:])) == [2])
    #expect(selection([one, two], for: [:]).outdated(by: three).isEmpty)
    #expect(selection([stored([:])], for: ["A": "3"]).number(for: three, among: 1...8) == 1)
  }

  // MARK: Ranges

  @Test(arguments: [
    ("bytes=0-1", "01", "bytes 0-1/10"), ("bytes=1-", "123456789", "bytes 1-9/10"),
    ("bytes=-1", "9", "bytes 9-9/10"),
    ("bytes=5-99", "56789", "bytes 5-9/10"), ("Bytes = 0-0", "0", "bytes 0-0/10"),
    ("bytes=-99", "0123456789", "bytes 0-9/10"),
  ])
  func `a range comes from the complete response`(range: String, body: String, contentRange: String) throws {
    let part = try #require(stored(["ETag": "\"1\""]).part(for: ["Range": range]))
    #expect(part.status == 206 && String(decoding: part.data, as: UTF8.self) == body)
    #expect(
      part.fields["Content-Range"] == contentRange && part.fields["Content-Length"] == "\(body.utf8.count)")
  }

  @Test func `a range that is not there comes from the server`() {
    for range in ["bytes=10-", "bytes=-0", "bytes=3-2", "bytes=0-1,3-4", "items=0-1", "x"] {
      #expect(stored([:]).part(for: ["Range": range]) == nil, "\(range)")
    }
    #expect(stored(["Content-Encoding": "gzip"]).part(for: ["Range": "bytes=0-1"]) == nil)
    #expect(ByteRange(["Range": "bytes=0-\(Int64.max)"]) == nil)
    let whole = stored(["ETag": "\"1\""])
    #expect(whole.part(for: ["Range": "bytes=0-1", "If-Range": "\"1\""])?.status == 206)
    #expect(whole.part(for: ["Range": "bytes=0-1", "If-Range": "\"2\""])?.status == 200)
  }

  @Test func `parts of one version are combined, others are not`() throws {
    func part(_ body: String, _ start: Int64, _ tag: String = "\"1\"") -> CachedResponse {
      stored(["ETag": tag, "X": "\(start)"], body: body, part: CachedExchange.Part(start: start, total: 10))
    }
    let both = try #require(part("0123", 0).combined(with: part("3456", 3)))
    #expect(both.exchange?.part == CachedExchange.Part(start: 0, total: 10) && both.fields["X"] == "3")
    #expect(String(decoding: both.data, as: UTF8.self) == "0123456")
    let whole = try #require(both.combined(with: part("789", 7)))
    #expect(whole.status == 200 && whole.exchange?.part == nil && whole.fields["Content-Range"] == nil)
    #expect(String(decoding: whole.data, as: UTF8.self) == "0123456789")
    #expect(
      part("56", 5).combined(with: part("34", 3)).map { String(decoding: $0.data, as: UTF8.self) } == "3456")
    #expect(
      part("3456", 3).combined(with: part("45", 4)).map { String(decoding: $0.data, as: UTF8.self) } == "3456"
    )
    #expect(part("01", 0).combined(with: part("34", 3)) == nil)
    #expect(part("01", 0).combined(with: part("23", 2, "\"2\"")) == nil)
    #expect(part("01", 0, "W/\"1\"").combined(with: part("23", 2, "W/\"1\"")) == nil)
    #expect(
      part("01", 0).part(for: [:]) == nil
        && part("3456", 3).part(for: ["Range": "bytes=4-5"])?.data.count == 2)
    #expect(part("3456", 3).part(for: ["Range": "bytes=2-4"]) == nil)
  }
}
