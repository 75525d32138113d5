import Testing

@testable import ErrandCore

@Suite struct ASCIITests {
  @Test func `a token consists of the bytes that RFC 9110, section 5.6.2, allows`() {
    let token = Set("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    #expect(token.count == 77)
    for byte in UInt8.min...UInt8.max {
      #expect(ASCII.isTokenByte(byte) == token.contains(byte), "\(byte)")
    }
    #expect(!ASCII.isToken(""))
    #expect(ASCII.isToken("X-Rate.Limit~1"))
    #expect(!ASCII.isToken("X-Rate Limit"))
  }
}
