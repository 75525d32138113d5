/// The reason why content cannot be encrypted or decrypted. `description` is a sentence to act on; it shows no
/// key and no content.
public struct ContentEncryptionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure. More may be added, so keep a `default`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// A key, a key's name, a record size or a padding cannot be used.
    public static let invalidParameter = Code(rawValue: "invalidParameter")
    /// The content's header has a record size that no record can have.
    public static let invalidHeader = Code(rawValue: "invalidHeader")
    /// The content's records are larger than the decoder accepts.
    public static let recordTooLarge = Code(rawValue: "recordTooLarge")
    /// There is no key with the name in the content's header.
    public static let unknownKey = Code(rawValue: "unknownKey")
    /// A record is not what was encrypted with this key at this place: it was changed or moved, or the key is
    /// another.
    public static let damaged = Code(rawValue: "damaged")
    /// The content ends before its last record.
    public static let truncated = Code(rawValue: "truncated")
    /// There are bytes after the last record.
    public static let trailingData = Code(rawValue: "trailingData")
    /// A record was decrypted, and has no valid padding delimiter.
    public static let invalidPadding = Code(rawValue: "invalidPadding")
    /// There are more records than may be encrypted with one key and salt.
    public static let tooManyRecords = Code(rawValue: "tooManyRecords")
    /// The encoder or decoder was used after its end, or the decoder before it had its key.
    public static let misused = Code(rawValue: "misused")
  }

  public let code: Code
  /// The cause, and what to do about it.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
