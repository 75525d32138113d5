import Foundation
import TestSupport
import Testing

@_spi(Benchmarks) @testable import ErrandSigning
@testable import ErrandStructuredFields

@Suite(.computesLong) struct StructuredLimitTests {
  @Test func `a value of the maximum length is parsed, and a longer one is refused`() throws {
    let text = #""\#(String(repeating: "a", count: 98))""#
    #expect(try StructuredItem(parsing: text, maximumBytes: 100).string?.utf8.count == 98)
    let parsers: [() throws -> Void] = [
      { _ = try StructuredItem(parsing: text, maximumBytes: 99) },
      { _ = try StructuredList(parsing: text, maximumBytes: 99) },
      { _ = try StructuredDictionary(parsing: "a=" + text, maximumBytes: 101) },
      { _ = try StructuredList(parsing: "é", maximumBytes: 1) },
      { _ = try StructuredList(parsing: "a", maximumBytes: 0) },
      { _ = try StructuredList(parsing: "a", maximumBytes: -1) },
    ]
    for parser in parsers {
      #expect { try parser() } throws: { ($0 as? StructuredFieldError)?.code == .tooLong }
    }
    #expect(try StructuredList(parsing: "", maximumBytes: 0).members.isEmpty)
  }

  @Test func `the length of all lines of a field is limited together`() throws {
    #expect(try StructuredList(parsing: ["aa", "bb"], maximumBytes: 6).members.count == 2)
    #expect { try StructuredList(parsing: ["aa", "bb"], maximumBytes: 5) } throws: {
      ($0 as? StructuredFieldError)?.code == .tooLong
    }
  }

  @Test func `the default maximum is 256 KiB`() throws {
    let text = "a" + String(repeating: "b", count: (256 << 10) - 1)
    #expect(try StructuredItem(parsing: text).token == text)
    #expect(try StructuredList(parsing: text).members.count == 1)
    #expect(try StructuredDictionary(parsing: text).count == 1)
    #expect { try StructuredItem(parsing: text + "b") } throws: {
      ($0 as? StructuredFieldError)?.code == .tooLong
    }
  }

  /// The minimum that parsers must support (RFC 9651, section 3).
  @Test func `the minimums of the standard are supported`() throws {
    let key = String(repeating: "k", count: 60)
    let members = (0..<1024).map { "\(key)\($0)=\($0)" }.joined(separator: ",")
    let dictionary = try StructuredDictionary(parsing: members)
    #expect(dictionary.count == 1024)
    #expect(dictionary["\(key)1023"]?.integer == 1023)
    #expect(
      try StructuredList(parsing: (0..<1024).map(String.init).joined(separator: ",")).members.count == 1024)
    let inner = "(\((0..<256).map(String.init).joined(separator: " ")))"
    #expect(try StructuredList(parsing: inner).members[0].innerList?.items.count == 256)
    let parameters = (0..<256).map { ";\(key)\($0)" }.joined()
    #expect(try StructuredItem(parsing: "1" + parameters).parameters.count == 256)
    #expect(try StructuredItem(parsing: "\"\(String(repeating: "s", count: 1024))\"").string?.count == 1024)
    #expect(try StructuredItem(parsing: String(repeating: "t", count: 512)).token?.count == 512)
    let bytes = Data(repeating: 7, count: 16_384)
    #expect(try StructuredItem(parsing: BareItem.bytes(bytes).serialized()).bytes == bytes)
  }

  /// Each of these would take minutes if a step were repeated for each byte.
  @Test(arguments: [
    "(", "((", ",", "a,", "a=1,", "a;", ";a", "\"", "\\\"", "%\"", "%22", "%", ":", "::", "=", "?1,", "@1,",
    " ",
    "\t", "( ", "()", "(),", "-", "1", "1.", "a;a;a", "é",
  ])
  func `a long value of repeated bytes is parsed quickly`(piece: String) {
    for start in ["", "a=", "(", "\"", "%\"", ":", "1;"] {
      let text = start + String(repeating: piece, count: (32 << 10) / piece.utf8.count)
      _ = try? StructuredList(parsing: text)
      _ = try? StructuredDictionary(parsing: text)
      _ = try? StructuredItem(parsing: text)
    }
  }

  @Test func `the time to find a key does not grow with the number of keys`() throws {
    var text = "a"
    for number in 0..<20_000 { text += ",k\(number)" }
    for number in 0..<5000 { text += ",k\(number * 3)=?0" }
    let dictionary = try StructuredDictionary(parsing: text)
    #expect(dictionary.count == 20_001)
    #expect(dictionary["k14997"]?.boolean == false)
    #expect(dictionary["k14998"]?.boolean == true)
    #expect(dictionary.index(of: "k0") == 1)
  }
}
