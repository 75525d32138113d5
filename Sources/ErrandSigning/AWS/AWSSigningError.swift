/// The reason why a request cannot be signed for AWS. `description` is a sentence to act on; it shows nothing of the
/// credentials.
public struct AWSSigningError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure. More may be added, so keep a `default`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// The credentials are missing, empty, or contain what none do.
    public static let invalidCredentials = Code(rawValue: "invalidCredentials")
    /// The region or the service is no name.
    public static let invalidScope = Code(rawValue: "invalidScope")
    /// The URL or a header field cannot be signed.
    public static let invalidRequest = Code(rawValue: "invalidRequest")
    /// The body is a stream, and the signer is to sign every body.
    public static let streamedBody = Code(rawValue: "streamedBody")
    /// The lifetime of a presigned URL is not within 1 s and 7 days.
    public static let invalidLifetime = Code(rawValue: "invalidLifetime")
    /// The date is before 1970 or after 9999.
    public static let invalidDate = Code(rawValue: "invalidDate")
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
