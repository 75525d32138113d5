import Testing

@testable import ErrandCore

@Suite struct HTTPFieldsTests {
  @Test func `names are compared case-insensitively, and several values keep their order`() {
    var fields: HTTPFields = ["Accept": "a"]
    fields.append("ACCEPT", "b")
    fields.append("X", "1")
    #expect(fields["accept"] == "a, b")
    #expect(fields.values(of: "aCCept") == ["a", "b"])
    #expect(fields.map(\.name) == ["Accept", "ACCEPT", "X"])
  }

  @Test func `setting a field replaces every line with that name, in the place of the first`() {
    var fields: HTTPFields = ["A": "1", "B": "2", "a": "3", "C": "4"]
    fields["a"] = "9"
    #expect(fields.map(\.description) == ["a: 9", "B: 2", "C: 4"])
    fields["A"] = nil
    #expect(!fields.contains("a"))
    #expect(fields.count == 2)
  }

  @Test func `two collections that differ only in the case of names are equal`() {
    let (left, right): (HTTPFields, HTTPFields) = (["Host": "x"], ["hOST": "x"])
    #expect(left == right)
    #expect(left.hashValue == right.hashValue)
    #expect(left != ["Host": "X"])
  }

  @Test(arguments: ["a\rb", "a\nb", "a\0b", "\r\nX: y"])
  func `a value with CR, LF or NUL is refused`(value: String) {
    #expect(Request(.get, "http://a.test/", fields: ["X": value]).problem != nil)
  }

  @Test(arguments: ["", "a b", "a:", "ä", "a\n", "(x)"])
  func `a name that is not a token is refused`(name: String) {
    #expect(Request(.get, "http://a.test/", fields: [name: "x"]).problem != nil)
  }

  @Test func `ordinary header fields are valid`() {
    let fields: HTTPFields = ["X-A_b.c~1": "any \t text, ünïcode", "Empty": ""]
    #expect(Request(.get, "http://a.test/", fields: fields).problem == nil)
  }

  @Test func `fields are written identically if they have the same bytes and the same secrets`() {
    let fields: HTTPFields = ["A": "1", "B": "caf\u{e9}"]
    #expect(fields.areWritten(as: fields))
    #expect(fields.areWritten(as: ["A": "1", "B": "caf\u{e9}"]))
    let others: [HTTPFields] = [
      ["a": "1", "B": "caf\u{e9}"], ["A": "2", "B": "caf\u{e9}"], ["A": "1", "B": "cafe\u{301}"],
      ["B": "caf\u{e9}", "A": "1"], ["A": "1"], [:],
    ]
    for other in others { #expect(!fields.areWritten(as: other), "\(other)") }
    var secret: HTTPFields = [:]
    secret.append("A", "1", isSecret: true)
    secret.append("B", "caf\u{e9}")
    #expect(!fields.areWritten(as: secret))
  }

  @Test func `a request has at most one Host, which is valid, and no field that its body determines`() {
    func problem(_ fields: HTTPFields) -> String? { Request(.get, "http://a.test/", fields: fields).problem }
    #expect(problem(["host": "b.test:80", "X": "1"]) == nil)
    #expect(problem(["X": "1", "HOST": "b.test/"]) != nil)
    #expect(problem(["Host": "b.test", "X": "1", "host": "b.test"]) != nil)
    #expect(problem(["content-length": "1"]) != nil)
    #expect(problem(["Transfer-encoding": "chunked"]) != nil)
  }

  @Test func `no description shows a secret`() {
    var fields: HTTPFields = ["authorization": "Bearer hush", "Cookie": "hush", "X": "seen"]
    fields.append("X-Key", "hush", isSecret: true)
    var dumped = ""
    dump(fields, to: &dumped)
    for text in [fields.description, "\(fields)", String(reflecting: fields), dumped] {
      #expect(!text.contains("hush"))
      #expect(text.contains("seen"))
    }
  }
}
