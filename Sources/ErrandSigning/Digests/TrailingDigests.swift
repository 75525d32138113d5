import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Hashes a body whose digests may follow in its trailers, which say only then with which algorithm.
struct TrailingDigests: Sendable {
  private let states = DigestAlgorithm.allCases.map { ($0, DigestState($0)) }
  /// True if the body is the whole representation, so that `Repr-Digest` is about it.
  private let isRepresentation: Bool
  private let isRequired: Bool
  private let head: ResponseHead

  /// Nil if no digest is expected after the body.
  /// - Parameter isRequired: True if a digest has to follow.
  init?(_ response: FilteredResponse, isRequired: Bool) {
    head = response.head
    guard !head.fields.contains("Content-Length") || Self.isAnnounced(in: head.fields) else { return nil }
    isRepresentation = response.isWhole && response.beginning == nil
    self.isRequired = isRequired
  }

  /// Returns true if `Trailer` names a digest.
  private static func isAnnounced(in fields: HTTPFields) -> Bool {
    fields.values(of: "Trailer").flatMap { $0.split(separator: ",") }.contains { name in
      let name = ASCII.trimmed(name)
      return [ContentDigest.fieldName, ReprDigest.fieldName].contains { ASCII.equalIgnoringCase($0, name) }
    }
  }

  func update(_ data: Data) {
    data.withUnsafeBytes { bytes in
      for (_, state) in states { state.update(bytes) }
    }
  }

  /// Verifies the digests in the trailers, once, after the last byte.
  /// - Throws: `SigningError` if one of them differs; `RequestError` if a required digest is missing.
  func verify(_ trailers: HTTPFields) throws {
    let content = try DigestFilter.field(ContentDigest.self, in: trailers)
    let representation = isRepresentation ? try DigestFilter.field(ReprDigest.self, in: trailers) : nil
    guard content != nil || representation != nil else {
      if isRequired { throw DigestFilter.failed(DigestFilter.missing, nil, head) }
      return
    }
    for (algorithm, state) in states {
      let digest = state.finalize()
      try verify(digest, algorithm, in: content)
      try verify(digest, algorithm, in: representation)
    }
  }

  private func verify<Field: IntegrityField>(
    _ digest: Data, _ algorithm: DigestAlgorithm, in field: Field?
  ) throws(SigningError) {
    guard let expected = field?[algorithm], !ConstantTime.isEqual(digest, expected) else { return }
    throw DigestVerifier.mismatch(algorithm, Field.fieldName)
  }
}
