import Foundation
import TestSupport
import Testing

@testable import ErrandSigning

@Suite struct ECDSASignatureTests {
  private func der(_ hex: String) -> Data? { ECDSASignature.raw(der: Data(hex: hex), width: 4) }

  @Test func `r and s are converted to DER and back, whatever their leading bits`() throws {
    var random = Seeded(5)
    for width in [4, 32, 48] {
      for _ in 0..<500 {
        func number() -> Data {
          var number = Data(count: random.number(0...width - 1))
          number += random.data(width - number.count)
          return number.contains { $0 != 0 } ? number : Data(count: width - 1) + [1]
        }
        let raw = number() + number()
        let der = try #require(ECDSASignature.der(raw: raw, width: width))
        #expect(ECDSASignature.raw(der: der, width: width) == raw)
      }
    }
    #expect(
      ECDSASignature.der(raw: Data(hex: "00000080 7fffffff"), width: 4)
        == Data(hex: "300a 0202 0080 0204 7fffffff"))
  }

  @Test func `r and s of another width, or of zero, are refused`() {
    for count in 0...20 where count != 8 {
      #expect(ECDSASignature.der(raw: Data(repeating: 1, count: count), width: 4) == nil)
    }
    #expect(ECDSASignature.der(raw: Data(hex: "00000000 00000001"), width: 4) == nil)
    #expect(ECDSASignature.der(raw: Data(hex: "00000001 00000000"), width: 4) == nil)
  }

  @Test func `DER that is not strict is refused`() {
    #expect(der("3006 020101 020102") == Data(hex: "00000001 00000002"))
    #expect(der("3008 0202 0080 0202 00ff") == Data(hex: "00000080 000000ff"))
    // Unnecessary leading zeros, negative numbers, zero and no number.
    #expect(der("3007 0202 0001 020102") == nil)
    #expect(der("3006 020181 020102") == nil)
    #expect(der("3006 020100 020102") == nil)
    #expect(der("3005 0200 020102") == nil)
    // Lengths that are too long, too short, indefinite, or not in their shortest form.
    #expect(der("3007 020101 020102") == nil)
    #expect(der("3005 020101 020102") == nil)
    #expect(der("3080 020101 020102 0000") == nil)
    #expect(der("308106 020101 020102") == nil)
    #expect(der("30820006 020101 020102") == nil)
    #expect(der("3084 00000006 020101 020102") == nil)
    #expect(der("30ff") == nil)
    // Extra bytes, a third number, another tag, and a number that does not fit.
    #expect(der("3006 020101 020102 00") == nil)
    #expect(der("3009 020101 020102 020103") == nil)
    #expect(der("3106 020101 020102") == nil)
    #expect(der("3006 040101 020102") == nil)
    #expect(der("300a 0205 0101010101 020102") == nil)
    #expect(der("") == nil)
  }

  @Test func `a long element has a long length, and can be parsed`() {
    for count in [0, 1, 127, 128, 255, 256, 65_535, 65_536] {
      let content = [UInt8](repeating: 7, count: count)
      var reader = DERReader(DER.element(.octetString, content)[...])
      #expect(reader.read(.octetString).map(Array.init) == content)
      #expect(reader.isAtEnd)
    }
  }

  @Test(.computesLong) func `random bytes are refused, and never crash the process`() {
    var random = Seeded(6)
    for _ in 0..<20_000 {
      var junk = random.data(random.number(0...24))
      // Often a value that begins correctly.
      if Bool.random(using: &random) { junk = Data([0x30, UInt8(junk.count)]) + junk }
      if let raw = ECDSASignature.raw(der: junk, width: 4) {
        #expect(ECDSASignature.der(raw: raw, width: 4) == junk)
      }
    }
  }
}
