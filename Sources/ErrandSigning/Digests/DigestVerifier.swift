#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Verifies digests of content that comes in pieces. The digests of all known algorithms have to match.
///
/// ```swift
/// var verifier = try ContentDigest(parsing: value).verifier()
/// for try await piece in body { verifier.update(piece) }
/// try verifier.finalize()
/// ```
package struct DigestVerifier: ~Copyable, Sendable {
  private struct Expectation: Sendable {
    let algorithm: DigestAlgorithm
    let digest: Data
    let state: DigestState
  }

  private let fieldName: String
  private let expectations: [Expectation]

  init(_ field: some IntegrityField) throws(SigningError) {
    fieldName = type(of: field).fieldName
    var expectations: [Expectation] = []
    for algorithm in field.algorithms {
      guard let digest = field[algorithm] else {
        throw SigningError(
          .malformed, "\(algorithm.rawValue) in \(fieldName) has to be a byte sequence, between colons")
      }
      expectations.append(
        Expectation(algorithm: algorithm, digest: digest, state: DigestState(algorithm)))
    }
    guard !expectations.isEmpty else {
      let known = DigestAlgorithm.allCases.map(\.rawValue).joined(separator: " and ")
      throw SigningError(
        .unknownAlgorithm,
        "\(fieldName) has no digest that can be verified; ask for one of \(known) with Want-\(fieldName)")
    }
    self.expectations = expectations
  }

  /// Appends a piece of the content.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    for expectation in expectations { expectation.state.update(bytes) }
  }

  /// Appends a piece of the content.
  package mutating func update(_ data: Data) { data.withUnsafeBytes { update($0) } }

  /// Compares the digests of all the pieces with those of the field, in constant time.
  /// - Throws: `.mismatch` if one of them differs.
  package consuming func finalize() throws(SigningError) {
    for expectation in expectations
    where !ConstantTime.isEqual(expectation.state.finalize(), expectation.digest) {
      throw Self.mismatch(expectation.algorithm, fieldName)
    }
  }

  static func mismatch(_ algorithm: DigestAlgorithm, _ fieldName: String) -> SigningError {
    SigningError(
      .mismatch,
      "the content does not match \(algorithm.rawValue) in \(fieldName): it was changed "
        + "or cut off on its way, or the field belongs to other content; do not use it, and transfer it again"
    )
  }
}

extension IntegrityField {
  /// Returns a verifier for content that comes in pieces.
  /// - Throws: `.unknownAlgorithm` if no digest can be verified, `.malformed` if one is not a byte sequence.
  package func verifier() throws(SigningError) -> DigestVerifier { try DigestVerifier(self) }

  /// Verifies that the digests match the data.
  /// - Throws: `.mismatch`, `.unknownAlgorithm` or `.malformed`.
  package func verify(_ data: Data) throws(SigningError) {
    var verifier = try verifier()
    verifier.update(data)
    try verifier.finalize()
  }
}
