import Foundation
import Testing

@testable import ErrandSigning
@testable import ErrandStructuredFields

/// The examples of RFC 9530, byte for byte.
@Suite struct DigestExampleTests {
  static let object = Data("{\"hello\": \"world\"}\n".utf8)
  /// The object in Brotli, with the bytes of erratum 8890, because those that the RFC shows do not match its
  /// digests.
  static let brotli = Data([0x0B, 0x09, 0x80]) + object + Data([0x03])

  static let contents: [(Data, String)] = [
    (object, "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:"),
    (
      object,
      "sha-512=:YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg==:"
    ),
    (Data(), "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"),
    (object.dropFirst(10), "sha-256=:jjcgBDWNAtbYUXI37CVG3gRuGOAjaaDRGpIUFsdyepQ=:"),
    (brotli, "sha-256=:d435Qo+nKZ+gLcUHn7GQtQ72hiBVAgqoLsZnZPiTGPk=:"),
    (
      brotli,
      "sha-256=:d435Qo+nKZ+gLcUHn7GQtQ72hiBVAgqoLsZnZPiTGPk=:, "
        + "sha-512=:db7fdBbgZMgX1Wb2MjA8zZj+rSNgfmDCEEXM8qLWfpfoNY0sCpHAzZbj09X1/7HAb7Od5Qfto4QpuBsFbUO3dQ==:"
    ),
    (Data("{\"title\": \"New Title\"}\n".utf8), "sha-256=:mEkdbO7Srd9LIOegftO0aBX+VPTVz7/CSHes2Z27gc4=:"),
    (
      Data("{\n  \"id\": \"123\",\n  \"title\": \"New Title\"\n}\n".utf8),
      "sha-256=:uVSlinTTdQUwm2On4k8TJUikGN1bf/Ds8WPX4oe0h9I=:"
    ),
    (
      Data(
        """
        {
          "status": "created",
          "id": "123",
          "ts": 1569327729,
          "instance": "/books/123"
        }

        """.utf8), "sha-256=:yXIGDTN5VrfoyisKlXgRKUHHMs35SNtyC3szSz1dbO8=:"
    ),
    (
      Data(
        """
        {
          "title": "Not Found",
          "detail": "Cannot PATCH a non-existent resource",
          "status": 404
        }

        """.utf8), "sha-256=:EXB0S2VF2H7ijkAVJkH1Sm0pBho0iDZcvVUHHXTTZSA=:"
    ),
    // Appendix D: without a line feed.
    (object.dropLast(), "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:"),
    (
      object.dropLast(),
      "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:"
    ),
  ]

  @Test(arguments: contents)
  func `the content has the digests of the RFC`(content: Data, value: String) throws {
    let field = try ContentDigest(parsing: value)
    #expect(try field.serialized() == value)
    #expect(try ContentDigest(of: content, using: field.algorithms).serialized() == value)
    #expect(try ReprDigest(of: content, using: field.algorithms).serialized() == value)
    try field.verify(content)
    try ReprDigest(parsing: value).verify(content)
    #expect(throws: SigningError.self) { try field.verify(content + [0]) }
  }

  @Test func `the fields have the names of the RFC`() {
    #expect(ContentDigest.fieldName == "Content-Digest")
    #expect(ReprDigest.fieldName == "Repr-Digest")
  }

  /// Section 2: its second digest is that of the object, its first that of the object in Brotli.
  @Test func `a field with digests of different contents verifies neither`() throws {
    let value =
      "sha-256=:d435Qo+nKZ+gLcUHn7GQtQ72hiBVAgqoLsZnZPiTGPk=:,"
      + "sha-512=:YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg==:"
    let field = try ContentDigest(parsing: value)
    #expect(field.algorithms == [.sha256, .sha512])
    for content in [Self.object, Self.brotli] {
      #expect { try field.verify(content) } throws: { ($0 as? SigningError)?.code == .mismatch }
    }
  }

  /// Appendix D: the other algorithms of the registry.
  @Test func `digests of other algorithms are kept, and not verified`() throws {
    let value =
      "md5=:Sd/dVLAcvNLSq16eXua5uQ==:, sha=:07CavjDP4u3/TungoUHJO/Wzr4c=:, unixsum=:GQU=:, "
      + "unixcksum=:7zsHAA==:, adler=:OZkGFw==:, crc32c=:Q3lHIA==:"
    let field = try ReprDigest(parsing: value)
    #expect(try field.serialized() == value)
    #expect(field.algorithms == [])
    #expect(field.members["unixsum"]?.bytes == Data([0x19, 0x05]))
    #expect { try field.verify(Self.object.dropLast()) } throws: { error in
      (error as? SigningError)?.code == .unknownAlgorithm
        && "\(error)".contains("ask for one of sha-256 and sha-512 with Want-Repr-Digest")
    }
  }
}
