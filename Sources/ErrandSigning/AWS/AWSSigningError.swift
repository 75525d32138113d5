/// The reason why a request cannot be signed for AWS. Its `description` names a remedy, and shows nothing of
/// the credentials.
public struct AWSSigningError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure. Later versions may add kinds, so keep a `default`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The kind's name, such as "invalidScope".
    public let rawValue: String
    /// Makes a kind with this name.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// The credentials are missing, empty, or have a character that is not allowed.
    public static let invalidCredentials = Code(rawValue: "invalidCredentials")
    /// The region or the service is not a name.
    public static let invalidScope = Code(rawValue: "invalidScope")
    /// The URL or a header field cannot be signed.
    public static let invalidRequest = Code(rawValue: "invalidRequest")
    /// The body is a stream, but the signer signs every body.
    public static let streamedBody = Code(rawValue: "streamedBody")
    /// The lifetime of a presigned URL is not between 1 s and 7 days.
    public static let invalidLifetime = Code(rawValue: "invalidLifetime")
    /// The date is before 1970 or after 9999.
    public static let invalidDate = Code(rawValue: "invalidDate")
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
