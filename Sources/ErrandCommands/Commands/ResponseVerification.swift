import ErrandCore
import ErrandSigning

/// Accepts only responses that are signed with a key, and that belong to their request (RFC 9421).
struct ResponseVerification: Sendable {
  private let key: any VerificationKey
  private let components: [MessageComponent]
  private let maxAge: Duration

  /// - Parameter path: The file of the key.
  init(keyFile path: String, _ arguments: SignatureArguments) throws {
    key = try KeyFile(path).verificationKey()
    components = arguments.verifiedComponents ?? MessageComponent.ofResponse
    maxAge = arguments.verificationAge ?? .seconds(300)
  }

  /// Returns the request, whose responses are verified.
  func prepared(_ request: Request) -> Request {
    request.verified(by: key, covering: components, maxAge: maxAge)
  }

  /// Returns the failure of a response that is not signed, or is not what was signed; nil for any other failure.
  static func failure(_ error: RequestError) -> CommandFailure? {
    guard error.code == .integrityFailed else { return nil }
    let code =
      (error.underlying as? SignatureError)?.code.rawValue
      ?? (error.underlying as? DigestError)?.code.rawValue
    return CommandFailure(
      .rejected, code ?? error.code.rawValue, error.message,
      hint: "Nothing of its body was shown. --verify-cover and --verify-age say what is asked of a signature."
    )
  }
}
