import ErrandCrypto
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox

@Suite struct AESGCMTests {
  struct Vector: Sendable {
    let key, nonce, plain, context, ciphertext, tag: String
  }

  /// Test cases 13 to 16 of the specification that NIST SP 800-38D refers to (McGrew and Viega).
  static let vectors = [
    Vector(
      key: String(repeating: "00", count: 32), nonce: String(repeating: "00", count: 12), plain: "",
      context: "",
      ciphertext: "", tag: "530f8afbc74536b9a963b4f1c4cb738b"),
    Vector(
      key: String(repeating: "00", count: 32), nonce: String(repeating: "00", count: 12),
      plain: String(repeating: "00", count: 16), context: "", ciphertext: "cea7403d4d606b6e074ec5d3baf39d18",
      tag: "d0d1c8a799996bf0265b98b5d48ab919"),
    Vector(
      key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
      nonce: "cafebabefacedbaddecaf888",
      plain: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
      context: "",
      ciphertext: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
      tag: "b094dac5d93471bdec1a502270e3cc6c"),
    Vector(
      key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
      nonce: "cafebabefacedbaddecaf888",
      plain: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
      context: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
      ciphertext: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
      tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
  ]

  @Test(arguments: vectors)
  func `AES-GCM reproduces the test cases of the standard`(vector: Vector) throws {
    let key = Data(hexadecimal: vector.key)
    let nonce = Data(hexadecimal: vector.nonce)
    let (plain, context) = (Data(hexadecimal: vector.plain), Data(hexadecimal: vector.context))
    let sealed = AESGCM.seal(plain, with: key, nonce: nonce, authenticating: context)
    #expect(sealed == Data(hexadecimal: vector.ciphertext + vector.tag))
    #expect(AESGCM.open(sealed, with: key, nonce: nonce, authenticating: context) == plain)
  }

  @Test func `a flipped bit in the ciphertext, nonce or context makes decryption fail`() {
    let key = OutboxKey.random().data
    let (nonce, context) = (Data.seeded(12), Data.seeded(9))
    let sealed = AESGCM.seal(.seeded(40), with: key, nonce: nonce, authenticating: context)
    for bit in 0..<sealed.count * 8 {
      #expect(AESGCM.open(sealed.flipping(bit), with: key, nonce: nonce, authenticating: context) == nil)
    }
    for bit in 0..<96 {
      #expect(AESGCM.open(sealed, with: key, nonce: nonce.flipping(bit), authenticating: context) == nil)
    }
    #expect(AESGCM.open(sealed, with: key, nonce: nonce, authenticating: context.flipping(3)) == nil)
    #expect(AESGCM.open(sealed, with: OutboxKey.random().data, nonce: nonce, authenticating: context) == nil)
    for length in 0..<sealed.count {
      #expect(AESGCM.open(sealed.prefix(length), with: key, nonce: nonce, authenticating: context) == nil)
    }
  }
}
