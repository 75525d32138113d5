import Testing

@testable import ErrandCore

@Suite struct HTTPFieldsTests {
  @Test func `names are compared without regard to case, and several values are kept in order`() {
    var fields: HTTPFields = ["Accept": "a"]
    fields.append("ACCEPT", "b")
    fields.append("X", "1")
    #expect(fields["accept"] == "a, b")
    #expect(fields.values(of: "aCCept") == ["a", "b"])
    #expect(fields.map(\.name) == ["Accept", "ACCEPT", "X"])
  }

  @Test func `setting replaces every line of that name, in the place of the first`() {
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
  func `a name that is no token is refused`(name: String) {
    #expect(Request(.get, "http://a.test/", fields: [name: "x"]).problem != nil)
  }

  @Test func `ordinary header fields are valid`() {
    let fields: HTTPFields = ["X-A_b.c~1": "any \t text, ünïcode", "Empty": ""]
    #expect(Request(.get, "http://a.test/", fields: fields).problem == nil)
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
