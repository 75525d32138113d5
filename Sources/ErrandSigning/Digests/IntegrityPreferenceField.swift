/// The value of `Want-Content-Digest`: which digests of contents the sender would like to have (RFC 9530,
/// section 4).
///
/// ```swift
/// let wanted: WantContentDigest = [.sha512: 3, .sha256: 10]
/// fields[WantContentDigest.fieldName] = try wanted.serialized()
/// ```
public struct WantContentDigest: IntegrityPreferenceField {
  public static let fieldName = "Want-Content-Digest"
  public var members: StructuredDictionary
  public init(members: StructuredDictionary) { self.members = members }
}

/// The value of `Want-Repr-Digest`: which digests of representations the sender would like to have (RFC 9530,
/// section 4).
public struct WantReprDigest: IntegrityPreferenceField {
  public static let fieldName = "Want-Repr-Digest"
  public var members: StructuredDictionary
  public init(members: StructuredDictionary) { self.members = members }
}

/// A field with weights by algorithm: what RFC 9530 calls an integrity preference field. A weight is from 1,
/// the least preferred, to 10; 0 means that the algorithm is not acceptable. A preference is a hint, no
/// demand.
public protocol IntegrityPreferenceField: DigestDictionary, ExpressibleByDictionaryLiteral
where Key == DigestAlgorithm, Value == Int {}

extension IntegrityPreferenceField {
  public init(dictionaryLiteral weights: (DigestAlgorithm, Int)...) {
    self.init(members: [:])
    for (algorithm, weight) in weights { self[algorithm] = weight }
  }

  /// Parses the lines of the field, as if they were one.
  /// - Throws: `.malformed` if it is no dictionary, or if the weight of a known algorithm is no integer from
  ///   0 to 10; `.tooLong`.
  public init(
    parsing lines: [String], maximumBytes: Int
  ) throws(StructuredFieldError) {
    self.init(members: try StructuredDictionary(parsing: lines, maximumBytes: maximumBytes))
    try checkWeights(.malformed)
  }

  /// Returns the field's value, or nil if there is no preference: the field is not sent then.
  /// - Throws: `.notSerializable` if the weight of a known algorithm is not from 0 to 10.
  public func serialized() throws(StructuredFieldError) -> String? {
    try checkWeights(.notSerializable)
    return try members.serialized()
  }

  /// The weight of an algorithm; nil if there is none.
  public subscript(algorithm: DigestAlgorithm) -> Int? {
    get { members[algorithm.rawValue]?.integer.map(Int.init(clamping:)) }
    set { members[algorithm.rawValue] = newValue.map { .integer(Int64($0)) } }
  }

  /// The algorithm that the sender prefers of those that are known: the one with the highest weight, and the
  /// first of several. Nil if none of them is acceptable, or if there is none.
  public var preferred: DigestAlgorithm? {
    var preferred: (algorithm: DigestAlgorithm, weight: Int)?
    for algorithm in members.keys.compactMap(DigestAlgorithm.init) {
      guard let weight = self[algorithm], weight > preferred?.weight ?? 0 else { continue }
      preferred = (algorithm, weight)
    }
    return preferred?.algorithm
  }

  private func checkWeights(_ code: StructuredFieldError.Code) throws(StructuredFieldError) {
    for algorithm in DigestAlgorithm.allCases where members[algorithm.rawValue] != nil {
      guard let weight = self[algorithm], 0...10 ~= weight else {
        throw StructuredFieldError(
          code, "\(algorithm.rawValue) in \(Self.fieldName) has to be an integer from 0 to 10")
      }
    }
  }
}
