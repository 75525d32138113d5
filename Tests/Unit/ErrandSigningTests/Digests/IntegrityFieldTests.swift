import Foundation
import TestSupport
import Testing

@testable import ErrandSigning
@testable import ErrandStructuredFields

@Suite struct IntegrityFieldTests {
  @Test(arguments: [
    "sha-256", "sha-256=1", "sha-256=\"YQ==\"", "sha-256=(:YQ==:)", "sha-256=?1", "md5=:YQ==:, sha-512=YQ",
    "sha-256=:YQ==", "sha-256=:Y:", "sha-256=:YQ==:,", "SHA-256=:YQ==:", "sha-256:YQ==", "é",
  ])
  func `a digest that is not a byte sequence is malformed`(value: String) {
    #expect { try ContentDigest(parsing: value) } throws: {
      ($0 as? StructuredFieldError)?.code == .malformed
    }
  }

  @Test func `a member of an unknown algorithm may have any value`() throws {
    let value = "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:;note=\"x\", foo=(1 2), bar"
    let field = try ContentDigest(parsing: value)
    #expect(try field.serialized() == value)
    try field.verify(Data())
  }

  @Test(arguments: ["", "foo=:YQ==:", "sha=:YQ==:, md5"])
  func `a field without a known algorithm reports that it verifies nothing`(value: String) throws {
    let field = try ContentDigest(parsing: value)
    #expect { try field.verify(Data()) } throws: { ($0 as? SigningError)?.code == .unknownAlgorithm }
    #expect(throws: SigningError.self) { _ = try field.verifier() }
  }

  @Test func `a digest that was set to another value is malformed when it is verified`() {
    let field = ContentDigest(members: ["sha-256": 5])
    #expect { try field.verify(Data()) } throws: { ($0 as? SigningError)?.code == .malformed }
  }

  @Test func `a flipped bit of content or digest is a mismatch`() throws {
    let content = Data("some content".utf8)
    for algorithm in DigestAlgorithm.allCases {
      let field = ContentDigest(of: content, using: [algorithm])
      try field.verify(content)
      for bit in 0..<content.count * 8 {
        #expect(isMismatch(field, flipping(bit, in: content)))
      }
      let digest = try #require(field[algorithm])
      #expect(digest.count == algorithm.byteCount)
      for bit in 0..<digest.count * 8 {
        var other = field
        other[algorithm] = flipping(bit, in: digest)
        #expect(isMismatch(other, content))
      }
    }
  }

  @Test func `a digest of a different length is a mismatch`() throws {
    let field = ContentDigest(of: Data(), using: [.sha256])
    let digest = try #require(field[.sha256])
    for other in [Data(), digest.dropLast(), digest.dropFirst(), digest + [0], digest + digest] {
      var changed = field
      changed[.sha256] = other
      #expect(isMismatch(changed, Data()))
    }
    #expect(isMismatch(try ContentDigest(parsing: "sha-256=::"), Data()))
  }

  @Test func `both digests must be right`() throws {
    let content = Data("some content".utf8)
    for algorithm in DigestAlgorithm.allCases {
      var field = ContentDigest(of: content, using: DigestAlgorithm.allCases)
      try field.verify(content)
      field[algorithm] = algorithm.digest(of: Data("another".utf8))
      #expect(isMismatch(field, content))
      field[algorithm] = nil
      try field.verify(content)
    }
  }

  @Test func `content in pieces has the digest of the whole`() throws {
    let content = Data.seeded(5000)
    var random = RandomFields(seed: 6)
    for algorithm in DigestAlgorithm.allCases {
      for _ in 0..<50 {
        var hasher = DigestHasher(algorithm)
        var verifier = try ReprDigest(of: content, using: [algorithm]).verifier()
        var rest = content[...]
        while !rest.isEmpty {
          let piece = rest.prefix(random.number(0...700))
          hasher.update(piece)
          piece.withUnsafeBytes { verifier.update($0) }
          rest = rest.dropFirst(piece.count)
        }
        #expect(hasher.finalize() == algorithm.digest(of: content))
        try verifier.finalize()
      }
    }
  }

  @Test func `empty content has a digest`() {
    var hasher = DigestHasher(.sha256)
    hasher.update(UnsafeRawBufferPointer(start: nil, count: 0))
    hasher.update(Data())
    #expect(hasher.finalize().base64EncodedString() == "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
  }

  @Test func `an error shows neither digest nor content`() throws {
    let field = ContentDigest(of: Data("swordfish".utf8))
    let digest = try #require(field[.sha256]).base64EncodedString()
    #expect { try field.verify(Data("pufferfish".utf8)) } throws: { error in
      !"\(error)".contains(digest.prefix(10)) && !"\(error)".contains("fish")
    }
  }

  @Test func `several lines are parsed as one`() throws {
    let (one, other) = (
      ContentDigest(of: Data(), using: [.sha256]), ContentDigest(of: Data(), using: [.sha512])
    )
    let field = try ContentDigest(parsing: [one, other].map { try #require(try $0.serialized()) })
    #expect(field == ContentDigest(of: Data(), using: [.sha256, .sha512]))
    #expect(try ContentDigest().serialized() == nil)
    #expect { try ContentDigest(parsing: "sha-256=:YQ==:", maximumBytes: 9) } throws: {
      ($0 as? StructuredFieldError)?.code == .tooLong
    }
  }

  @Test func `comparison in constant time gives the right result`() {
    var random = RandomFields(seed: 7)
    for _ in 0..<2000 {
      let left = Data.seeded(random.number(0...40), random.next())
      let right = random.number(0...1) == 0 ? left : Data.seeded(random.number(0...40), random.next())
      #expect(ConstantTime.isEqual(left, right) == (left == right))
    }
    let slice = Data([1, 2, 3, 4]).dropFirst(2)
    #expect(ConstantTime.isEqual(slice, Data([3, 4])))
    #expect(!ConstantTime.isEqual(slice, Data([3, 5])))
  }

  private func isMismatch(_ field: some IntegrityField, _ content: Data) -> Bool {
    do {
      try field.verify(content)
      return false
    } catch {
      return error.code == .mismatch
    }
  }

  private func flipping(_ bit: Int, in data: Data) -> Data {
    var data = data
    data[data.startIndex + bit / 8] ^= 1 << UInt8(bit % 8)
    return data
  }
}
