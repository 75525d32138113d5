/// The reason why a digest cannot be made, or does not match its content. Its `description` names a remedy,
/// and shows neither digests nor content.
public struct DigestError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure. Later versions may add kinds, so keep a `default`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The kind's name, such as "mismatch".
    public let rawValue: String
    /// Makes a kind with this name.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// The content is not the one that the digest was made of.
    public static let mismatch = Code(rawValue: "mismatch")
    /// The field has no digest of a known algorithm, so the content cannot be verified.
    public static let noKnownAlgorithm = Code(rawValue: "noKnownAlgorithm")
    /// A digest in the field is not a byte sequence.
    public static let malformed = Code(rawValue: "malformed")
    /// The file is missing, is not a regular file, or cannot be read.
    public static let fileUnreadable = Code(rawValue: "fileUnreadable")
    /// The file was written while it was read.
    public static let fileChanged = Code(rawValue: "fileChanged")
  }

  /// The kind of failure.
  public let code: Code
  /// The cause, and how to correct it.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
