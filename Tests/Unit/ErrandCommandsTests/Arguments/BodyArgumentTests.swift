import Testing

@testable import ErrandCommands

@Suite struct BodyArgumentTests {
  private func body(_ arguments: String...) throws -> BodyArgument {
    try BodyArgument(ScannedArguments(arguments, for: #require(CommandSpec.named("post"))))
  }

  @Test func `--data is sent unchanged, with the content type of a form`() throws {
    #expect(try body("-d", "a b") == .text("a b", contentType: BodyArgument.formType))
    #expect(try body("-d", "a=1", "-d", "b=2") == .text("a=1&b=2", contentType: BodyArgument.formType))
    #expect(try body("-d", "") == .text("", contentType: BodyArgument.formType))
    #expect(try body("-d", "-") == .standardInput(contentType: BodyArgument.formType))
    #expect(try body("-d", "@a.png") == .file(path: "a.png", contentType: nil))
  }

  @Test func `an argument keeps its bytes, even if they are not valid UTF-8`() throws {
    let texts: [[UInt8]] = [
      [], [0x61], [0xFF], [0xC3, 0xA9], [0x61, 0xF4, 0x8F, 0xBE, 0x80], [0xED, 0xA0, 0x80], [0xC0, 0x80],
    ]
    for bytes in texts + (0x80...0xFF).map({ [0x41, $0] }) {
      #expect(ArgumentBytes.bytes(of: ArgumentBytes.text(of: bytes)) == bytes)
    }
    #expect(ArgumentBytes.text(of: Array("caf\u{E9}".utf8)) == "caf\u{E9}")
    // A character of the private-use area that encodes such bytes is data like any other.
    let own = ArgumentBytes.text(of: Array("\u{10FF80}".utf8))
    #expect(try ArgumentBytes.checked(own, "it") == "\u{10FF80}")
    #expect(throws: UsageError.self) { try ArgumentBytes.checked(ArgumentBytes.text(of: [0xFF]), "it") }
  }

  @Test func `JSON is taken from the command line or a file`() throws {
    #expect(try body("--json", "{}") == .text("{}", contentType: "application/json"))
    #expect(try body("--json", "@a") == .file(path: "a", contentType: "application/json"))
    #expect(try body("--json", "-") == .standardInput(contentType: "application/json"))
  }

  @Test(arguments: ["{title: Milk}", "", "{\"a\":1}}", "nul", "@"])
  func `invalid JSON is a usage error`(_ text: String) {
    #expect(throws: UsageError.self) { try body("--json", text) }
  }

  @Test func `forms have names and values, or files`() throws {
    #expect(try body("--form", "a=1=2") == .form([NameAndValue(name: "a", value: "1=2")]))
    #expect(
      try body("-F", "a=1", "-F", "f=@x")
        == .multipart([.field(NameAndValue(name: "a", value: "1")), .file(name: "f", path: "x")]))
  }

  @Test(
    arguments: [
      (#"a=@f;filename="x y\\z\".png""#, .file(name: "a", path: "f", fileName: "x y\\z\".png")),
      (#"a=@"my;f.txt" ; type=text/csv"#, .file(name: "a", path: "my;f.txt", type: "text/csv")),
      (#"a=@b\c"#, .file(name: "a", path: #"b\c"#)),
      ("a=@-", .file(name: "a", path: "/dev/stdin", fileName: "-")),
      ("a=<f.txt", .textFile(name: "a", path: "f.txt")),
      ("a=<f.txt;type=a/b", .textFile(name: "a", path: "f.txt", "a/b")),
      ("a=b;type=a/b; charset=x", .field(NameAndValue(name: "a", value: "b"), "a/b; charset=x")),
      ("a=b;type=a/b;filename=c", .field(NameAndValue(name: "a", value: "b"), "a/b", fileName: "c")),
      (#"a="x;type=y""#, .field(NameAndValue(name: "a", value: "x;type=y"))),
      (#"a="@x""#, .field(NameAndValue(name: "a", value: "@x"))),
      ("a=one; two", .field(NameAndValue(name: "a", value: "one; two"))),
      (#"a=b"c"#, .field(NameAndValue(name: "a", value: "b\"c"))),
      (#"a="b"#, .field(NameAndValue(name: "a", value: "\"b"))),
      ("a=", .field(NameAndValue(name: "a", value: ""))),
    ] as [(String, BodyArgument.Part)])
  func `a part of a form is written as for curl`(text: String, part: BodyArgument.Part) throws {
    #expect(try body("-F", text) == .multipart([part]))
  }

  @Test(arguments: [
    "a=@", "a=<", "a=b;headers=X: y", "a=@f;encoder=base64", "a=(x", #"a="b" c"#, #"a="b";c=d"#,
    "a=<f;filename=x", "a=b;type=text",
  ])
  func `what errand cannot send in a form is refused`(text: String) {
    #expect(throws: UsageError.self) { try body("-F", text) }
  }

  @Test func `a request without body options has no body`() throws {
    #expect(try body() == .none)
  }
}
