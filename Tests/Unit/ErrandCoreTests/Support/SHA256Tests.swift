import ErrandCrypto
import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore

@Suite struct SHA256Tests {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func `the standard's examples have the standard's digests`(text: String, digest: String) {
    #expect(SHA256Digest(hashing: Data(text.utf8)).description == digest)
  }

  @Test func `hashing in pieces gives the digest of the whole`() {
    var random = SeededRandom(seed: 3)
    for _ in 0..<50 {
      let data = Data((0..<Int.random(in: 0...500, using: &random)).map { _ in UInt8.random(in: 0...(.max)) })
      var hash = SHA256Hash()
      var rest = data[...]
      while !rest.isEmpty {
        let piece = rest.prefix(Int.random(in: 0...100, using: &random))
        hash.update(piece)
        rest = rest.dropFirst(piece.count)
      }
      let digest = hash.finalize()
      #expect(digest == SHA256Digest(hashing: data))
    }
  }

  @Test func `a digest is made from exactly its 32 bytes`() {
    let digest = SHA256Digest(hashing: Data("a".utf8))
    #expect(SHA256Digest(digest.bytes) == digest)
    #expect(SHA256Digest(digest.bytes.dropLast()) == nil)
    #expect(SHA256Digest([UInt8](repeating: 0, count: 33)) == nil)
  }
}
