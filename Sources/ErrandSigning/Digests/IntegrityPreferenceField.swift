public import ErrandStructuredFields

/// The value of `Want-Content-Digest`: the digests of contents that the sender would like to receive (RFC
/// 9530, section 4).
///
/// ```swift
/// let wanted: WantContentDigest = [.sha512: 3, .sha256: 10]
/// fields[WantContentDigest.fieldName] = try wanted.serialized()
/// ```
public struct WantContentDigest: IntegrityPreferenceField {
  /// The field's name: `Want-Content-Digest`.
  public static let fieldName = "Want-Content-Digest"
  /// The weights by the names of their algorithms, including unknown ones.
  public var members: StructuredDictionary
  /// Makes a field with these members.
  public init(members: StructuredDictionary) { self.members = members }
}

/// The value of `Want-Repr-Digest`: the digests of representations that the sender would like to receive (RFC
/// 9530, section 4).
public struct WantReprDigest: IntegrityPreferenceField {
  /// The field's name: `Want-Repr-Digest`.
  public static let fieldName = "Want-Repr-Digest"
  /// The weights by the names of their algorithms, including unknown ones.
  public var members: StructuredDictionary
  /// Makes a field with these members.
  public init(members: StructuredDictionary) { self.members = members }
}

/// A field with weights by algorithm, which RFC 9530 calls an integrity preference field. A weight is from 1,
/// the least preferred, to 10; 0 means that the algorithm is not acceptable. A recipient may ignore
/// preferences.
public protocol IntegrityPreferenceField: DigestDictionary, ExpressibleByDictionaryLiteral
where Key == DigestAlgorithm, Value == Int {}

extension IntegrityPreferenceField {
  /// Makes a field with these weights, from 0 to 10.
  public init(dictionaryLiteral weights: (DigestAlgorithm, Int)...) {
    self.init(members: [:])
    for (algorithm, weight) in weights { self[algorithm] = weight }
  }

  /// Parses the lines of the field, as if they were one.
  /// - Throws: `.malformed` if the field is not a dictionary, or if the weight of a known algorithm is not an
  ///   integer from 0 to 10; `.tooLong` if the lines have more than `maximumBytes` bytes.
  public init(
    parsing lines: [String], maximumBytes: Int
  ) throws(StructuredFieldError) {
    self.init(members: try StructuredDictionary(parsing: lines, maximumBytes: maximumBytes))
    try checkWeights(.malformed)
  }

  /// Returns the field's value; nil if the field has no members and should not be sent.
  /// - Throws: `.notSerializable` if the weight of a known algorithm is not from 0 to 10.
  public func serialized() throws(StructuredFieldError) -> String? {
    try checkWeights(.notSerializable)
    return try members.serialized()
  }

  /// The weight of an algorithm, from 0 to 10; nil if the field has none.
  public subscript(algorithm: DigestAlgorithm) -> Int? {
    get { members[algorithm.rawValue]?.integer.map(Int.init(clamping:)) }
    set { members[algorithm.rawValue] = newValue.map { .integer(Int64($0)) } }
  }

  /// The known algorithm with the highest weight, and the first of several with the same. Nil if the field
  /// accepts none of the known algorithms.
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
