import Foundation
import Testing

@testable import ErrandSigning
@testable import ErrandStructuredFields

@Suite struct StructuredBytesTests {
  @Test func `a byte sequence of any length is parsed unchanged`() throws {
    for length in 0..<100 {
      let data = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ length) })
      let text = try BareItem.bytes(data).serialized()
      #expect(text == ":\(data.base64EncodedString()):")
      #expect(try StructuredItem(parsing: text).bytes == data)
    }
  }

  @Test func `each character of the alphabet is decoded to its six bits`() throws {
    let all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    #expect(try StructuredItem(parsing: ":\(all):").bytes == Data(base64Encoded: all))
  }

  @Test(arguments: [
    (":YQ==:", "a"), (":YQ=:", "a"), (":YQ:", "a"), (":YWI=:", "ab"), (":YWI:", "ab"), (":YWJj:", "abc"),
    ("::", ""), (":aGVsbG8:", "hello"),
  ])
  func `padding may be missing`(text: String, value: String) throws {
    #expect(try StructuredItem(parsing: text).bytes == Data(value.utf8))
    #expect(try StructuredItem(parsing: text).serialized() == ":\(Data(value.utf8).base64EncodedString()):")
  }

  @Test func `padding bits may be set, and are never sent`() throws {
    let item = try StructuredItem(parsing: ":iZ==:")
    #expect(item.bytes == Data([0x89]))
    #expect(try item.serialized() == ":iQ==:")
    #expect(try StructuredItem(parsing: ":YWJ:").bytes == Data("ab".utf8))
  }

  @Test(arguments: [
    ":", ":YQ==", "YQ==:", ":Y:", ":YWJjY:", ":Y===:", ":=:", ":==:", ":====:", ":YQ===:", ":YWI==:",
    ":YWJj=:", ":YWJj====:", ":=YQ=:", ":Y=Q=:", ":YQ==YQ==:", ":Y Q=:", ": YQ==:", ":YQ== :", ":YQ\n==:",
    ":YQ\t==:", ":_-Ah:", ":aGVsbG!8=:", ":aGVsbG8=!:", ":YQ==;:", ":é:", ":\u{0}AAA:", "*aGVsbG8=*",
  ])
  func `any other text is not parsed as a byte sequence`(text: String) {
    #expect(throws: StructuredFieldError.self) { try StructuredItem(parsing: text) }
  }
}
