import Foundation
import Testing

@testable import ErrandSigning
@testable import ErrandStructuredFields

@Suite struct StructuredTextTests {
  @Test func `a string may contain every printable ASCII character`() throws {
    let all = RandomFields.printable
    let escaped = all.replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#)
    #expect(try BareItem.string(all).serialized() == "\"\(escaped)\"")
    #expect(try StructuredItem(parsing: "\"\(escaped)\"").string == all)
  }

  @Test(arguments: [
    (#""""#, ""), (#""   ""#, "   "), (#""\"""#, "\""), (#""\\""#, "\\"), (#""a\"b\\c""#, #"a"b\c"#),
    (#""'%,;""#, "'%,;"),
  ])
  func `a string has its quotes and backslashes escaped`(text: String, value: String) throws {
    #expect(try StructuredItem(parsing: text) == StructuredItem(.string(value)))
    #expect(try BareItem.string(value).serialized() == text)
  }

  @Test(arguments: [
    "\"", "\"foo", "\"foo\\", "\"foo\\\"", #""\n""#, #""\,""#, "\"\t\"", "\"\n\"", "\"\r\n\"", "\"\u{0}\"",
    "\"\u{1F}\"", "\"\u{7F}\"", "\"\u{80}\"", "\"füü\"", "\"😀\"", "'foo'", #""a\é""#, #""a" "b""#, #""a"b"#,
    "“foo”", "\"\\\"\u{7F}\"", "\"\\\\\t\"", "\"\\\"é\"",
  ])
  func `any other text is not parsed as a string`(text: String) {
    #expect(throws: StructuredFieldError.self) { try StructuredItem(parsing: text) }
  }

  @Test(arguments: ["é", "\u{0}", "\t", "\r\n", "\u{7F}", "a\u{301}", "😀"])
  func `a string that is not printable ASCII is refused when it is serialized`(value: String) {
    #expect { try BareItem.string(value).serialized() } throws: {
      ($0 as? StructuredFieldError)?.code == .notSerializable
    }
  }

  /// RFC 9110, section 5.6.2, and RFC 9651, section 3.3.4.
  @Test func `a token may contain these characters, and no others`() throws {
    let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~:/".utf8)
    for byte in 0...127 as ClosedRange<UInt8> {
      let text = "a\(UnicodeScalar(byte))b"
      #expect((try? BareItem.token(text).serialized()) == (allowed.contains(byte) ? text : nil))
      #expect(((try? StructuredItem(parsing: text))?.token == text) == allowed.contains(byte))
    }
  }

  @Test func `a token begins with a letter or a star`() {
    let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ*".utf8)
    for byte in 0...127 as ClosedRange<UInt8> {
      let text = "\(UnicodeScalar(byte))x"
      #expect((try? BareItem.token(text).serialized()) == (allowed.contains(byte) ? text : nil))
      let value = (try? StructuredItem(parsing: text))?.value
      #expect((value == .token(text)) == allowed.contains(byte))
    }
  }

  @Test(arguments: ["", "é", "aé", "a b", "1a", "a\u{0}"])
  func `any other text is refused as a token when it is serialized`(value: String) {
    #expect { try BareItem.token(value).serialized() } throws: {
      ($0 as? StructuredFieldError)?.code == .notSerializable
    }
  }

  @Test
  func `a display string escapes the percent sign, the quote and every character outside printable ASCII`()
    throws
  {
    let value = "\u{0}\n\u{1F} !\"#$%&'~\u{7F}ü€😀\u{FEFF}"
    let text = #"%"%00%0a%1f !%22#$%25&'~%7f%c3%bc%e2%82%ac%f0%9f%98%80%ef%bb%bf""#
    #expect(try BareItem.displayString(value).serialized() == text)
    #expect(try StructuredItem(parsing: text).displayString == value)
  }

  @Test(
    arguments: [
      (#"%""#, nil), (#"%"foo bar""#, "foo bar"), (#"%"%22\""#, "\"\\"), (#"%"%61""#, "a"), (#"%"""#, ""),
      (#"%"%C3%BC""#, nil), (#"%"%c3%Bc""#, nil), (#"%"%c3""#, nil), (#"%"%c3%28""#, nil),
      (#"%"%a0%a1""#, nil), (#"%"%e2%28%a1""#, nil), (#"%"%f0%28%8c%28""#, nil), (#"%"%ed%a0%80""#, nil),
      (#"%"%c0%80""#, nil), (#"%"%f4%90%80%80""#, nil), (#"%"%ff""#, nil), (#"%"%e2%82""#, nil),
      ("%foo", nil), ("%'foo'", nil), ("%", nil), (#"% "foo""#, nil), (#"%"foo"#, nil), (#"%"foo %a"#, nil),
      (#"%"foo %"#, nil), (#"%"foo %a""#, nil), (#"%"foo %""#, nil), (#"%"%g0""#, nil), (#"%"%0g""#, nil),
      ("%\"\t\"", nil), ("%\"\n\"", nil), ("%\"\u{0}\"", nil), ("%\"\u{7F}\"", nil), ("%\"ü\"", nil),
      ("\"foo\"%", nil), (#"%"%%20""#, nil),
    ] as [(String, String?)])
  func `a display string is UTF-8, percent-encoded with lower-case digits`(text: String, value: String?) {
    #expect((try? StructuredItem(parsing: text))?.displayString == value)
  }

  @Test func `a string, a token and a display string with the same text are not equal`() throws {
    let list = try StructuredList(parsing: #""a", a, %"a""#)
    #expect(Set(list.members).count == 3)
    #expect(list.members.map(\.string) == ["a", nil, nil])
    #expect(list.members.map(\.token) == [nil, "a", nil])
    #expect(list.members.map(\.displayString) == [nil, nil, "a"])
  }

  @Test(arguments: ["?", "?2", "?true", "?T", "? 1", "?11", "?1?", "1?"])
  func `any other text than ?0 and ?1 is not parsed as a boolean`(text: String) {
    #expect(throws: StructuredFieldError.self) { try StructuredItem(parsing: text) }
  }

  @Test func `a boolean is ?0 or ?1`() throws {
    #expect(try StructuredItem(parsing: "?0").boolean == false)
    #expect(try StructuredItem(parsing: "?1").boolean == true)
    #expect(try StructuredItem(false).serialized() == "?0")
    #expect(try StructuredItem(true).serialized() == "?1")
  }
}
