import Foundation
import Testing

@testable import ErrandSigning
@testable import ErrandStructuredFields

/// Whitespace, separators, keys and their order.
@Suite struct StructuredLayoutTests {
  @Test(
    arguments: [
      ("", ""), ("  ", ""), ("1,42", "1, 42"), ("1 , 42", "1, 42"), ("1\t,\t42", "1, 42"),
      ("  1 \t,  42 \t ", "1, 42"), ("1\t", "1"), ("()", "()"), ("(  )", "()"), ("(  1  42  )", "(1 42)"),
      ("(1),(),(42)", "(1), (), (42)"), ("a;b;c=1", "a;b;c=1"), ("a;  b;   c", "a;b;c"), ("();a", "();a"),
      ("(a;b=(", nil), ("a;b=?1", "a;b"),
    ] as [(String, String?)])
  func `a list may have spaces and tabs around its commas`(text: String, canonical: String?) {
    #expect((try? StructuredList(parsing: text)).map { (try? $0.serialized()) ?? "" } == canonical)
  }

  @Test(arguments: [
    ",", "1,", "1, ", "1,\t", "1,,42", "1, ,42", ",1", "1 42", "1;", "1; ", "1;=1", "1;a=", "1;a= 1",
    "1;a =1", "1 ;a", "1;\ta", "1;A", "1;1a", "\t1", "(1\t42)", "(1,2)", "(1 42", "(1 2, (42 43)", "(", "(((",
    "(()", "((1))", "(1)(2)", "(1)2", "(1 2))", ")", "(1\"a\")", "(a\"b\")", "(1;)", "(1 ;a)", "a\n",
    "a\r\n, b",
    "\u{0}", "1\u{0}", "é", "1, é", "1;é", "\u{FEFF}1", "a=1", "(1);a=(2)", "1;a=(2)",
  ])
  func `any other text is not parsed as a list`(text: String) {
    #expect { try StructuredList(parsing: text) } throws: {
      ($0 as? StructuredFieldError)?.code == .malformed
    }
  }

  @Test(arguments: [
    ("", ""), ("   ", ""), ("a=1,b=2", "a=1, b=2"), ("a=1\t ,\t b=2 \t", "a=1, b=2"), ("  a  ", "a"),
    ("a, b, c", "a, b, c"), ("a;x=1, b=?1;y", "a;x=1, b;y"), ("a=?0", "a=?0"), ("a=()", "a=()"),
    ("*a=1", "*a=1"), ("a_-.*0=1", "a_-.*0=1"),
  ])
  func `a dictionary may have spaces and tabs around its commas`(text: String, canonical: String) throws {
    #expect(try StructuredDictionary(parsing: text).serialized() ?? "" == canonical)
  }

  @Test(arguments: [
    ",", "a,", "a=1,", "a=1, ", "a=1,,b=2", ",a", "a =1", "a= 1", "a=", "a=,b", "=1", "A=1", "a=1, B=2",
    "1=1", "_a=1", "-a=1", ".a=1", "a!=1", "a=1 b=2", "a=1;", "\ta=1", "a(1)", "a=(1", "a=1=2", "a==1", "é=1",
    "a=é", "\"a\"=1", "a\u{0}", "(1)",
  ])
  func `any other text is not parsed as a dictionary`(text: String) {
    #expect { try StructuredDictionary(parsing: text) } throws: {
      ($0 as? StructuredFieldError)?.code == .malformed
    }
  }

  @Test(arguments: [
    "", "  ", "1, 2", "1 2", "(1)", "\t1", "1\t", "1;a,", "1\n", "a=1", "1;a;", "[1]", "{}", "#", "1#",
  ])
  func `any other text than one item is not parsed as an item`(text: String) {
    #expect(throws: StructuredFieldError.self) { try StructuredItem(parsing: text) }
  }

  @Test func `an item may have spaces around it`() throws {
    #expect(try StructuredItem(parsing: "   1;a=2  ") == StructuredItem(1, parameters: ["a": 2]))
  }

  @Test func `the last value of a duplicate key counts, at the place of the first`() throws {
    let dictionary = try StructuredDictionary(parsing: "a=1;x, b=2, a=3;y")
    #expect(try dictionary.serialized() == "a=3;y, b=2")
    #expect(try StructuredDictionary(parsing: ["a=1, b=2", "a"]).serialized() == "a, b=2")
    #expect(try StructuredItem(parsing: "1;a=1;b=2;a=3;a").serialized() == "1;a;b=2")
    #expect(try StructuredList(parsing: "(1;a=1;a=2);b=1;c;b=2").serialized() == "(1;a=2);b=2;c")
    let literal: StructuredDictionary = ["a": 1, "b": 2, "a": 3]
    #expect(try literal.serialized() == "a=3, b=2")
  }

  @Test func `lines are joined by commas`() throws {
    #expect(try StructuredList(parsing: []).members.isEmpty)
    #expect(try StructuredDictionary(parsing: []).isEmpty)
    #expect(try StructuredList(parsing: ["a, b", "(c)"]).serialized() == "a, b, (c)")
    #expect(throws: StructuredFieldError.self) { try StructuredItem(parsing: []) }
    #expect(throws: StructuredFieldError.self) { try StructuredItem(parsing: ["1", "2"]) }
    #expect(throws: StructuredFieldError.self) { try StructuredList(parsing: ["(a", "b)"]) }
    #expect(throws: StructuredFieldError.self) { try StructuredList(parsing: ["a", "", "b"]) }
    #expect(throws: StructuredFieldError.self) { try StructuredList(parsing: ["a,", "b"]) }
    #expect(try StructuredItem(parsing: ["\"foo", "bar\""]).string == "foo, bar")
  }

  @Test func `an empty list and an empty dictionary are not sent`() throws {
    #expect(try StructuredList().serialized() == nil)
    #expect(try StructuredDictionary().serialized() == nil)
    #expect(try StructuredInnerList().serialized() == "()")
  }

  @Test(arguments: ["", "A", "aB", "1", "_a", "-", ".", "a b", "é", "aé", "a\u{0}", "a=", "a\"", "a:"])
  func `a key with other characters is refused when it is serialized`(key: String) {
    let fields: [() throws -> String?] = [
      { try StructuredDictionary(dictionaryLiteral: (key, 1)).serialized() },
      { try StructuredItem(1, parameters: [key: 1]).serialized() },
      { try StructuredInnerList([], parameters: [key: true]).serialized() },
      { try StructuredList([.item(StructuredItem(1, parameters: [key: 1]))]).serialized() },
    ]
    for field in fields {
      #expect { try field() } throws: { ($0 as? StructuredFieldError)?.code == .notSerializable }
    }
  }

  @Test(arguments: [
    ("1, 2 3", 5), ("a;B", 2), (#""abc"#, 4), ("1, ", 3), ("(1 2", 4), ("?7", 1), ("1234567890123456", 15),
  ])
  func `an error gives the byte at which parsing ended, and quotes nothing of the value`(
    text: String, offset: Int
  ) {
    #expect { try StructuredList(parsing: text) } throws: { error in
      guard let error = error as? StructuredFieldError else { return false }
      return error.offset == offset && "\(error)".hasPrefix("at byte \(offset), ")
        && !"\(error)".contains(text)
    }
  }
}
