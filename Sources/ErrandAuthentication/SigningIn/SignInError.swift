import ErrandCore

/// The reason why a sign-in with OAuth 2, or the revocation of its tokens, has failed. `description` is a sentence that
/// shows no secret.
public struct SignInError: Error, Sendable, CustomStringConvertible {
  /// The kind of a failure. Versions may add kinds, so keep a `default` case.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The name of the code, such as `denied`.
    public let description: String

    /// An endpoint is missing or is not https, or the port for the redirect is in use.
    public static let invalidConfiguration = Code(description: "invalidConfiguration")
    /// The user, or the server for the user, has denied the access.
    public static let denied = Code(description: "denied")
    /// The user has closed the sign-in's page (Apple's platforms).
    public static let cancelled = Code(description: "cancelled")
    /// The user did not sign in within the time.
    public static let expired = Code(description: "expired")
    /// The redirect does not belong to this sign-in: its state or its issuer differs.
    public static let foreignRedirect = Code(description: "foreignRedirect")
    /// The server refused the request, or issued no tokens that can be used.
    public static let rejected = Code(description: "rejected")
    /// The tokens may still be valid, because the server did not revoke them.
    public static let notRevoked = Code(description: "notRevoked")
  }

  /// The kind of the failure.
  public let code: Code
  /// The description of the failure.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { LogText.line(message) }
}
