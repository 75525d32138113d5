import Foundation
import Testing

@testable import ErrandSigning

@Suite struct Base64URLTests {
  @Test func `any bytes are decoded from base64url unchanged`() {
    var random = Seeded(9)
    for count in 0..<200 {
      let data = random.data(count)
      #expect(Data(base64URL: data.base64URL) == data)
    }
    #expect(Data(base64URL: "-_-_") == Data([0xFB, 0xFF, 0xBF]))
  }

  @Test(arguments: [
    "A", "AAAAA", "AA==", "AAA=", "AB", "AAB", "+_-_", "//--", "A A", "AA\n", "A\u{0}", "ÄÄ", "=",
  ])
  func `padding, other letters, odd lengths and nonzero unused bits are refused`(text: String) {
    #expect(Data(base64URL: text) == nil)
  }
}
