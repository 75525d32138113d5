/// The reason why content cannot be encrypted or decrypted. Its `description` names a remedy, and shows
/// neither keys nor content.
public struct ContentEncryptionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure. Later versions may add kinds, so keep a `default`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The kind's name, such as "damaged".
    public let rawValue: String
    /// Makes a kind with this name.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// A key, a key's name, a record size or a padding cannot be used.
    public static let invalidParameter = Code(rawValue: "invalidParameter")
    /// The content's header has a record size that no record can have.
    public static let invalidHeader = Code(rawValue: "invalidHeader")
    /// The content's records are larger than the decoder accepts.
    public static let recordTooLarge = Code(rawValue: "recordTooLarge")
    /// No key has the name in the content's header.
    public static let unknownKey = Code(rawValue: "unknownKey")
    /// A record is not the one that was encrypted with this key at this place: it was changed or moved, or
    /// the key is wrong.
    public static let damaged = Code(rawValue: "damaged")
    /// The content ends before its last record.
    public static let truncated = Code(rawValue: "truncated")
    /// Bytes follow the last record.
    public static let trailingData = Code(rawValue: "trailingData")
    /// A record was decrypted, but has no valid padding delimiter.
    public static let invalidPadding = Code(rawValue: "invalidPadding")
    /// The content has more records than may be encrypted with one key and salt.
    public static let tooManyRecords = Code(rawValue: "tooManyRecords")
    /// The encoder or decoder was used after its end, or the decoder before it had its key.
    public static let misused = Code(rawValue: "misused")
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
