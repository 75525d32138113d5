import Testing

@testable import ErrandCommands

@Suite struct SpellingTests {
  @Test func `the nearest word is found, if it is similar enough`() {
    #expect(Spelling.nearest(to: "--jsno", in: ["--json", "--form"]) == "--json")
    #expect(Spelling.nearest(to: "gett", in: ["get", "head"]) == "get")
    #expect(Spelling.nearest(to: "fetch", in: ["get", "head", "patch"]) == nil)
  }

  @Test func `two swapped letters count as one mistake`() {
    #expect(Spelling.distance(Array("json"), Array("jsno")) == 1)
    #expect(Spelling.distance(Array(""), Array("abc")) == 3)
    #expect(Spelling.distance(Array("kitten"), Array("sitting")) == 3)
  }
}
