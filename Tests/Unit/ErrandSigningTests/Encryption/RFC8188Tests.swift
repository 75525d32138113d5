import Foundation
import Testing

@_spi(Benchmarks) @testable import ErrandSigning

@Suite struct RFC8188Tests {
  private let content = Data("I am the walrus".utf8)

  @Test func `the example of one record is encrypted and decrypted byte for byte`() throws {
    let key = try ContentKey(Data(fromBase64URL: "yqdlZ-tYemfogSmv7Ws5PQ"))
    let encrypted = Data(
      fromBase64URL: """
        I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-
        ly8Thjg
        """)
    // The RFC says 54; these are its 71 characters.
    #expect(encrypted.count == 53)
    let salt = Data(fromBase64URL: "I1BsxtFttlv3u_Oo94xnmw")
    #expect(try ContentCoding.encrypt([content], key, recordSize: 4096, salt: salt) == encrypted)
    #expect(try ContentCoding.decrypt([encrypted], key) == content)
  }

  @Test func `the example's intermediate values are derived`() throws {
    let key = try ContentKey(Data(fromBase64URL: "yqdlZ-tYemfogSmv7Ws5PQ"))
    let keys = RecordKeys(key, salt: Data(fromBase64URL: "I1BsxtFttlv3u_Oo94xnmw"))
    #expect(keys.key.withUnsafeBytes { Data($0) } == Data(fromBase64URL: "_wniytB-ofscZDh4tbSjHw"))
    #expect(keys.withNonce(0) { Data($0) } == Data(fromBase64URL: "Bcs8gkIRKLI8GeI8"))
    // The number is combined by exclusive-or in network byte order.
    let (nonce, mask) = (Data(fromBase64URL: "Bcs8gkIRKLI8GeI8"), Data(hex: "00000000 0123456789abcdef"))
    let expected = Data(zip(nonce, mask).map { $0 ^ $1 })
    #expect(keys.withNonce(0x0123_4567_89AB_CDEF) { Data($0) } == expected)
  }

  @Test func `the example of two records, with padding and a key's name, is encrypted and decrypted`() throws
  {
    let key = try ContentKey(Data(fromBase64URL: "BO3ZVPxUlnLORbVGMpbT1Q"), id: "a1")
    let encrypted = Data(
      fromBase64URL: """
        uNCkWiNYzKTnBN9ji3-qWAAAABkCYTHOG8chz_gnvgOqdGYovxyjuqRyJFjEDyoF
        1Fvkj6hQPdPHI51OEUKEpgz3SsLWIqS_uA
        """)
    #expect(encrypted.count == 73)
    let salt = Data(fromBase64URL: "uNCkWiNYzKTnBN9ji3-qWA")
    let made = try ContentCoding.encrypt([content], key, recordSize: 25, padding: .bytes(1), salt: salt)
    #expect(made == encrypted)
    var decoder = AES128GCMDecoder()
    #expect(try decoder.update(encrypted) == Data())
    #expect(decoder.neededKeyID == Data("a1".utf8))
    #expect(decoder.header?.recordSize == 25)
    #expect(decoder.header?.salt == salt)
    #expect(try decoder.use(key) == content)
    #expect(try decoder.finish() == Data())
  }
}
