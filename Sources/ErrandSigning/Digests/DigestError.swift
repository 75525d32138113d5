/// The reason why a digest cannot be made, or does not verify what came with it. `description` is a sentence
/// to act on; it shows neither digests nor content.
public struct DigestError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of a failure. More may be added, so keep a `default`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// The content is not what the digest was made of.
    public static let mismatch = Code(rawValue: "mismatch")
    /// The field has no digest of an algorithm that is known, so it says nothing about the content.
    public static let noKnownAlgorithm = Code(rawValue: "noKnownAlgorithm")
    /// A digest in the field is no byte sequence.
    public static let malformed = Code(rawValue: "malformed")
    /// The file is missing, is no regular file, or cannot be read.
    public static let fileUnreadable = Code(rawValue: "fileUnreadable")
    /// The file was written while it was read.
    public static let fileChanged = Code(rawValue: "fileChanged")
  }

  /// The kind of the failure.
  public let code: Code
  /// The cause, and what to do about it.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
