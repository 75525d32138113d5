import Foundation
import Testing

@_spi(Benchmarks) @testable import ErrandSigning
@testable import ErrandStructuredFields

/// The examples in the text of RFC 9651, section 3.
@Suite struct StructuredFieldExampleTests {
  @Test func `a list of tokens`() throws {
    let list: StructuredList = [.token("sugar"), .token("tea"), .token("rum")]
    #expect(try StructuredList(parsing: "sugar, tea, rum") == list)
    #expect(try list.serialized() == "sugar, tea, rum")
    #expect(try StructuredList(parsing: ["sugar, tea", "rum"]) == list)
  }

  @Test func `a list of inner lists of strings`() throws {
    let text = #"("foo" "bar"), ("baz"), ("bat" "one"), ()"#
    let list: StructuredList = [["foo", "bar"], ["baz"], ["bat", "one"], []]
    #expect(try StructuredList(parsing: text) == list)
    #expect(try list.serialized() == text)
  }

  @Test func `inner lists with parameters at both levels`() throws {
    let list: StructuredList = [
      .innerList([.string("foo", parameters: ["a": 1, "b": 2])], parameters: ["lvl": 5]),
      .innerList(["bar", "baz"], parameters: ["lvl": 1]),
    ]
    #expect(try StructuredList(parsing: #"("foo"; a=1;b=2);lvl=5, ("bar" "baz");lvl=1"#) == list)
    #expect(try list.serialized() == #"("foo";a=1;b=2);lvl=5, ("bar" "baz");lvl=1"#)
  }

  @Test func `a list of parameterized items`() throws {
    let list: StructuredList = [
      .token("abc", parameters: ["a": 1, "b": 2, "cde_456": true]),
      .innerList(
        [.token("ghi", parameters: ["jk": 4]), .token("l")], parameters: ["q": "9", "r": .token("w")]),
    ]
    #expect(try StructuredList(parsing: #"abc;a=1;b=2; cde_456, (ghi;jk=4 l);q="9";r=w"#) == list)
    #expect(try list.serialized() == #"abc;a=1;b=2;cde_456, (ghi;jk=4 l);q="9";r=w"#)
  }

  @Test func `a parameter that is true is serialized without a value, and one that is false with it`() throws
  {
    let item = StructuredItem(1, parameters: ["a": true, "b": false])
    #expect(try StructuredItem(parsing: "1; a; b=?0") == item)
    #expect(try item.serialized() == "1;a;b=?0")
    #expect(try StructuredItem(parsing: "1;a=?1").parameters == ["a": true])
  }

  @Test func `a dictionary of a string and a byte sequence`() throws {
    let dictionary = try StructuredDictionary(parsing: #"en="Applepie", da=:w4ZibGV0w6ZydGU=:"#)
    #expect(dictionary["en"]?.string == "Applepie")
    #expect(dictionary["da"]?.bytes == Data("Æbletærte".utf8))
    #expect(dictionary.keys == ["en", "da"])
    #expect(try dictionary.serialized() == #"en="Applepie", da=:w4ZibGV0w6ZydGU=:"#)
  }

  @Test func `a dictionary member that is true is serialized without a value`() throws {
    let dictionary: StructuredDictionary = [
      "a": false, "b": true, "c": .boolean(true, parameters: ["foo": .token("bar")]),
    ]
    #expect(try StructuredDictionary(parsing: "a=?0, b, c; foo=bar") == dictionary)
    #expect(try StructuredDictionary(parsing: "a=?0, b=?1, c=?1;foo=bar") == dictionary)
    #expect(try dictionary.serialized() == "a=?0, b, c;foo=bar")
  }

  @Test func `a dictionary with an inner list of tokens`() throws {
    let dictionary: StructuredDictionary = ["rating": 1.5, "feelings": [.token("joy"), .token("sadness")]]
    #expect(try StructuredDictionary(parsing: "rating=1.5, feelings=(joy sadness)") == dictionary)
    #expect(try dictionary.serialized() == "rating=1.5, feelings=(joy sadness)")
  }

  @Test func `a dictionary of items and inner lists, some with parameters`() throws {
    let text = "a=(1 2), b=3, c=4;aa=bb, d=(5 6);valid"
    let dictionary: StructuredDictionary = [
      "a": [1, 2], "b": 3, "c": .integer(4, parameters: ["aa": .token("bb")]),
      "d": .innerList([5, 6], parameters: ["valid": true]),
    ]
    #expect(try StructuredDictionary(parsing: text) == dictionary)
    #expect(try dictionary.serialized() == text)
  }

  @Test func `a dictionary on two lines equals the same one on one line`() throws {
    #expect(
      try StructuredDictionary(parsing: ["foo=1", "bar=2"])
        == StructuredDictionary(parsing: "foo=1, bar=2"))
  }

  @Test(
    arguments: [
      ("5", 5), ("42", 42), ("4.5", 4.5), (#""hello world""#, "hello world"),
      ("foo123/456", .token("foo123/456")), ("?1", true),
      (
        ":cHJldGVuZCB0aGlzIGlzIGJpbmFyeSBjb250ZW50Lg==:",
        .bytes(Data("pretend this is binary content.".utf8))
      ),
      ("@1659578233", .date(Date(timeIntervalSince1970: 1_659_578_233))),
      (
        #"%"This is intended for display to %c3%bcsers.""#,
        .displayString("This is intended for display to üsers.")
      ),
    ] as [(String, BareItem)])
  func `an item of each type`(text: String, value: BareItem) throws {
    #expect(try StructuredItem(parsing: text) == StructuredItem(value))
    #expect(try StructuredItem(value).serialized() == text)
    #expect(try value.serialized() == text)
  }

  @Test func `an integer with a parameter`() throws {
    let item = try StructuredItem(parsing: "5; foo=bar")
    #expect(item.integer == 5)
    #expect(item.parameters["foo"]?.token == "bar")
    #expect(try item.serialized() == "5;foo=bar")
  }

  /// RFC 9421, sections 4.1 and 4.2, shortened.
  @Test func `a signature and its input have the expected values`() throws {
    let text =
      #"sig1=("@method" "content-digest";req);created=1618884473;keyid="test-key";alg="ed25519""#
    let input: StructuredDictionary = [
      "sig1": .innerList(
        ["@method", .string("content-digest", parameters: ["req": true])],
        parameters: ["created": 1_618_884_473, "keyid": "test-key", "alg": "ed25519"])
    ]
    #expect(try input.serialized() == text)
    let components = try #require(StructuredDictionary(parsing: text)["sig1"]?.innerList)
    #expect(components.items.map(\.string) == ["@method", "content-digest"])
    #expect(components.items[1].parameters["req"]?.boolean == true)
    #expect(components.parameters["created"]?.integer == 1_618_884_473)
    #expect(components.parameters[1].key == "keyid")
    #expect(try components.serialized() == text.dropFirst(5))
    #expect(try components.items[1].serialized() == #""content-digest";req"#)
    #expect(try StructuredDictionary(parsing: "sig1=:AAEC:")["sig1"]?.bytes == Data([0, 1, 2]))
  }
}
