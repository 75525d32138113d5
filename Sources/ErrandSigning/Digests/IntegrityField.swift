#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The value of `Content-Digest`: digests of the content of one message, as it is transferred (RFC 9530,
/// section 2). Of a range, it is the digest of that range; of a response without content, that of no bytes.
///
/// ```swift
/// fields[ContentDigest.fieldName] = try ContentDigest(of: body).serialized()
/// try ContentDigest(parsing: value).verify(body)
/// ```
public struct ContentDigest: IntegrityField {
  public static let fieldName = "Content-Digest"
  public var members: StructuredDictionary
  public init(members: StructuredDictionary) { self.members = members }
}

/// The value of `Repr-Digest`: digests of the whole selected representation, with its content coding,
/// whatever part of it the message has (RFC 9530, section 3).
public struct ReprDigest: IntegrityField {
  public static let fieldName = "Repr-Digest"
  public var members: StructuredDictionary
  public init(members: StructuredDictionary) { self.members = members }
}

/// A field with digests by algorithm: what RFC 9530 calls an integrity field.
///
/// Digests of other algorithms than `DigestAlgorithm`'s are kept, and sent again, but never verified.
public protocol IntegrityField: DigestDictionary {}

extension IntegrityField {
  /// Makes a field without digests.
  public init() { self.init(members: [:]) }

  /// Makes the digests of data.
  public init(of data: Data, using algorithms: [DigestAlgorithm] = [.sha256]) {
    self.init()
    for algorithm in algorithms { self[algorithm] = algorithm.digest(of: data) }
  }

  /// Makes the digests of a file, which is read once, in pieces of 256 KiB. Blocks its thread while it reads.
  /// - Throws: `.fileUnreadable` or `.fileChanged`.
  public init(ofFileAt url: URL, using algorithms: [DigestAlgorithm] = [.sha256]) throws(DigestError) {
    self.init()
    let states = Dictionary(
      algorithms.map { ($0, DigestState($0)) }, uniquingKeysWith: { state, _ in state })
    try DigestFile.forEachPiece(of: url) { piece in
      for state in states.values { state.update(piece) }
    }
    for algorithm in algorithms where self[algorithm] == nil {
      self[algorithm] = states[algorithm]?.finalize()
    }
  }

  /// Parses the lines of the field, as if they were one.
  /// - Throws: `.malformed` if it is no dictionary, or if a digest of a known algorithm is no byte sequence;
  ///   `.tooLong`.
  public init(
    parsing lines: [String], maximumBytes: Int
  ) throws(StructuredFieldError) {
    self.init(members: try StructuredDictionary(parsing: lines, maximumBytes: maximumBytes))
    for algorithm in DigestAlgorithm.allCases {
      guard let member = members[algorithm.rawValue], member.bytes == nil else { continue }
      throw StructuredFieldError(
        .malformed, "\(algorithm.rawValue) in \(Self.fieldName) has to be a byte sequence, between colons")
    }
  }

  /// Returns the field's value, or nil if there is no digest: the field is not sent then.
  /// - Throws: `.notSerializable` if a member that was set has no form in a structured field.
  public func serialized() throws(StructuredFieldError) -> String? { try members.serialized() }

  /// The digest of an algorithm; nil if there is none.
  public subscript(algorithm: DigestAlgorithm) -> Data? {
    get { members[algorithm.rawValue]?.bytes }
    set { members[algorithm.rawValue] = newValue.map { .bytes($0) } }
  }

  /// The known algorithms that the field has a digest of, in their order.
  public var algorithms: [DigestAlgorithm] { members.keys.compactMap(DigestAlgorithm.init) }

  /// The keys of the algorithms that are not known, in their order.
  public var unknownAlgorithms: [String] { members.keys.filter { DigestAlgorithm(rawValue: $0) == nil } }
}
