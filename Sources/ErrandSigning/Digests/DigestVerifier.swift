#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Verifies digests of content that comes in pieces. All digests of known algorithms have to be right.
///
/// ```swift
/// var verifier = try ContentDigest(parsing: value).verifier()
/// for try await piece in body { verifier.update(piece) }
/// try verifier.finalize()
/// ```
public struct DigestVerifier: ~Copyable, Sendable {
  private struct Expectation: Sendable {
    let algorithm: DigestAlgorithm
    let digest: Data
    let state: DigestState
  }

  private let fieldName: String
  private let expectations: [Expectation]

  init(_ field: some IntegrityField) throws(DigestError) {
    fieldName = type(of: field).fieldName
    var expectations: [Expectation] = []
    for algorithm in field.algorithms {
      guard let digest = field[algorithm] else {
        throw DigestError(
          .malformed, "\(algorithm.rawValue) in \(fieldName) has to be a byte sequence, between colons")
      }
      expectations.append(
        Expectation(algorithm: algorithm, digest: digest, state: DigestState(algorithm)))
    }
    guard !expectations.isEmpty else {
      let known = DigestAlgorithm.allCases.map(\.rawValue).joined(separator: " and ")
      throw DigestError(
        .noKnownAlgorithm,
        "\(fieldName) has no digest that can be verified; ask for one of \(known) with Want-\(fieldName)")
    }
    self.expectations = expectations
  }

  /// Appends a piece of the content.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    for expectation in expectations { expectation.state.update(bytes) }
  }

  /// Appends a piece of the content.
  public mutating func update(_ data: Data) { data.withUnsafeBytes { update($0) } }

  /// Compares the digests of all the pieces with those of the field, in constant time.
  /// - Throws: `.mismatch` if one of them is another.
  public consuming func finalize() throws(DigestError) {
    for expectation in expectations
    where !ConstantTime.isEqual(expectation.state.finalize(), expectation.digest) {
      throw DigestError(
        .mismatch,
        "the content is not what \(expectation.algorithm.rawValue) in \(fieldName) was made of: it was changed "
          + "or cut on its way, or the field is of other content; do not use it, and transfer it again")
    }
  }
}

extension IntegrityField {
  /// Returns a verifier for content that comes in pieces.
  /// - Throws: `.noKnownAlgorithm` if no digest can be verified, `.malformed` if one is no byte sequence.
  public func verifier() throws(DigestError) -> DigestVerifier { try DigestVerifier(self) }

  /// Verifies that data is what the digests were made of.
  /// - Throws: `.mismatch`, `.noKnownAlgorithm` or `.malformed`.
  public func verify(_ data: Data) throws(DigestError) {
    var verifier = try verifier()
    verifier.update(data)
    try verifier.finalize()
  }

  /// Verifies that a file is what the digests were made of. It is read once, in pieces of 256 KiB. Blocks its
  /// thread while it reads.
  /// - Throws: `.mismatch`, `.noKnownAlgorithm`, `.malformed`, `.fileUnreadable` or `.fileChanged`.
  public func verify(fileAt url: URL) throws(DigestError) {
    var verifier = try verifier()
    try DigestFile.forEachPiece(of: url) { verifier.update($0) }
    try verifier.finalize()
  }
}
