package import ErrandStructuredFields

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The value of `Content-Digest`: digests of the content of one message, as it is transferred (RFC 9530,
/// section 2). For a range, it is the digest of the range; for a response without content, the digest of no
/// bytes.
///
/// ```swift
/// fields[ContentDigest.fieldName] = try ContentDigest(of: body).serialized()
/// try ContentDigest(parsing: value).verify(body)
/// ```
package struct ContentDigest: IntegrityField {
  /// The field's name: `Content-Digest`.
  package static let fieldName = "Content-Digest"
  /// The digests by the names of their algorithms, including unknown ones.
  package var members: StructuredDictionary
  /// Makes a field with these members.
  package init(members: StructuredDictionary) { self.members = members }
}

/// The value of `Repr-Digest`: digests of the whole selected representation, with its content coding, even if
/// the message has only a part of it (RFC 9530, section 3).
package struct ReprDigest: IntegrityField {
  /// The field's name: `Repr-Digest`.
  package static let fieldName = "Repr-Digest"
  /// The digests by the names of their algorithms, including unknown ones.
  package var members: StructuredDictionary
  /// Makes a field with these members.
  package init(members: StructuredDictionary) { self.members = members }
}

/// A field with digests by algorithm, which RFC 9530 calls an integrity field.
///
/// Digests of algorithms that `DigestAlgorithm` lacks are kept and serialized, but never verified.
package protocol IntegrityField: DigestDictionary {}

extension IntegrityField {
  /// Makes a field without digests.
  package init() { self.init(members: [:]) }

  /// Makes a field with the digests of data, in the order of the algorithms.
  package init(of data: Data, using algorithms: [DigestAlgorithm] = [.sha256]) {
    self.init()
    for algorithm in algorithms { self[algorithm] = algorithm.digest(of: data) }
  }

  /// Parses the lines of the field, as if they were one.
  /// - Throws: `.malformed` if the field is not a dictionary, or if the digest of a known algorithm is not a
  ///   byte sequence; `.tooLong` if the lines have more than `maximumBytes` bytes.
  package init(
    parsing lines: [String], maximumBytes: Int
  ) throws(StructuredFieldError) {
    self.init(members: try StructuredDictionary(parsing: lines, maximumBytes: maximumBytes))
    for algorithm in DigestAlgorithm.allCases {
      guard let member = members[algorithm.rawValue], member.bytes == nil else { continue }
      throw StructuredFieldError(
        .malformed, "\(algorithm.rawValue) in \(Self.fieldName) has to be a byte sequence, between colons")
    }
  }

  /// Returns the field's value; nil if the field has no members and should not be sent.
  /// - Throws: `.notSerializable` if a member that was set cannot be written as a structured field.
  package func serialized() throws(StructuredFieldError) -> String? { try members.serialized() }

  /// The digest of an algorithm; nil if the field has none.
  package subscript(algorithm: DigestAlgorithm) -> Data? {
    get { members[algorithm.rawValue]?.bytes }
    set { members[algorithm.rawValue] = newValue.map { .bytes($0) } }
  }

  /// The known algorithms that the field has a digest of, in the field's order.
  package var algorithms: [DigestAlgorithm] { members.keys.compactMap(DigestAlgorithm.init) }
}
