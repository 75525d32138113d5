import Testing

@testable import ErrandSigning
@testable import ErrandStructuredFields

@Suite struct IntegrityPreferenceTests {
  @Test(arguments: [
    "sha-256", "sha-256=11", "sha-256=-1", "sha-256=1.0", "sha-256=\"1\"", "sha-256=(1)", "sha-256=:AQ==:",
    "sha-512=999999999999999", "sha-256=1, sha-512=11", "sha-256=1,", "sha-256=x", "sha-256= 1",
  ])
  func `a weight that is not an integer from 0 to 10 is malformed`(value: String) {
    #expect { try WantContentDigest(parsing: value) } throws: {
      ($0 as? StructuredFieldError)?.code == .malformed
    }
    #expect(throws: StructuredFieldError.self) { try WantReprDigest(parsing: value) }
  }

  @Test(arguments: [-1, 11, .max, .min])
  func `a weight out of range is refused when it is serialized`(weight: Int) {
    var wanted: WantContentDigest = [.sha256: 10]
    wanted[.sha512] = weight
    #expect { try wanted.serialized() } throws: {
      ($0 as? StructuredFieldError)?.code == .notSerializable
    }
  }

  @Test(
    arguments: [
      ("sha-512=3, sha-256=10", .sha256), ("sha-512=3, sha-256=3", .sha512),
      ("sha-256=3, sha-512=3", .sha256),
      ("sha-256=0, sha-512=1", .sha512), ("sha-256=0", nil), ("sha=10", nil), ("", nil),
      ("sha=10, sha-256=1", .sha256), ("foo=11, sha-512=10", .sha512),
      ("sha-256=9, sha-256=1, sha-512=5", .sha512),
    ] as [(String, DigestAlgorithm?)])
  func `the algorithm with the highest weight is preferred`(value: String, preferred: DigestAlgorithm?) throws
  {
    #expect(try WantReprDigest(parsing: value).preferred == preferred)
  }

  @Test func `an empty preference is not sent`() throws {
    #expect(try WantContentDigest(members: [:]).serialized() == nil)
    var wanted: WantReprDigest = [.sha256: 0]
    #expect(try wanted.serialized() == "sha-256=0")
    wanted[.sha256] = nil
    #expect(try wanted.serialized() == nil)
    #expect(wanted[.sha256] == nil)
  }
}
