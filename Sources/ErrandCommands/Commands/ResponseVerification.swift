import ErrandCore
import ErrandSigning

/// Accepts only responses that are signed with a key and belong to their request (RFC 9421).
struct ResponseVerification: Sendable {
  private let key: any VerificationKey
  private let components: [MessageComponent]
  private let maxAge: Duration

  /// - Parameter path: The file with the key.
  init(keyFile path: String, _ arguments: SignatureArguments) throws {
    key = try KeyFile(path).verificationKey()
    components = arguments.verifiedComponents ?? MessageComponent.ofResponse
    maxAge = arguments.verificationAge ?? .seconds(300)
  }

  /// Returns the request with verification of its response.
  func prepared(_ request: Request) -> Request {
    request.verified(by: key, covering: components, maxAge: maxAge)
  }

  /// Returns the failure for a response whose signature is missing or wrong; nil for any other error.
  static func failure(_ error: RequestError) -> CommandFailure? {
    guard error.code == .integrityFailed else { return nil }
    let code =
      (error.underlying as? SigningError)?.code.description
    return CommandFailure(
      .rejected, code ?? error.code.rawValue, error.message,
      hint: "The body was not shown. --verify-cover and --verify-age set what the signature must fulfil."
    )
  }
}
