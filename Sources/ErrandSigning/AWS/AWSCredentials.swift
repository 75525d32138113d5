import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The keys of an identity at AWS, or at a service that signs like AWS. No description shows any of them, and the
/// memory of the secret key is overwritten when it is not used any more.
public struct AWSCredentials: Sendable {
  let accessKeyID: String
  /// `AWS4` and the secret access key: the key of the first derivation.
  let firstKey: SecretBytes
  /// The token of temporary credentials, which goes with each request; nil for permanent ones.
  let sessionToken: String?
  let derived = AWSDerivedKey()

  /// - Throws: `AWSSigningError.invalidCredentials` for a key that is empty or has a character that no key has, as
  ///   the line break at the end of a file.
  public init(
    accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil
  ) throws(AWSSigningError) {
    guard !accessKeyID.isEmpty, accessKeyID.utf8.allSatisfy(Self.mayBeInID) else {
      throw Self.invalid("access key ID")
    }
    guard !secretAccessKey.isEmpty, secretAccessKey.utf8.allSatisfy(Self.mayBeInSecret) else {
      throw Self.invalid("secret access key")
    }
    if let sessionToken {
      guard !sessionToken.isEmpty, sessionToken.utf8.allSatisfy(Self.mayBeInSecret) else {
        throw Self.invalid("session token")
      }
    }
    self.accessKeyID = accessKeyID
    firstKey = SecretBytes(Array("AWS4\(secretAccessKey)".utf8))
    self.sessionToken = sessionToken
  }

  /// Reads the variables `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and, if it is set, `AWS_SESSION_TOKEN`.
  /// - Throws: `AWSSigningError.invalidCredentials`, with the name of the variable that is missing.
  public init(environment: [String: String]) throws(AWSSigningError) {
    func value(_ name: String) throws(AWSSigningError) -> String {
      guard let value = environment[name], !value.isEmpty else {
        throw AWSSigningError(
          .invalidCredentials, "the environment variable \(name) is not set; it is needed to sign for AWS")
      }
      return value
    }
    let token = environment["AWS_SESSION_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
    try self.init(
      accessKeyID: value("AWS_ACCESS_KEY_ID"), secretAccessKey: value("AWS_SECRET_ACCESS_KEY"),
      sessionToken: token)
  }

  /// Returns true for visible ASCII without what delimits the ID in `Authorization`.
  private static func mayBeInID(_ byte: UInt8) -> Bool {
    mayBeInSecret(byte) && !"/,=".utf8.contains(byte)
  }

  private static func mayBeInSecret(_ byte: UInt8) -> Bool { 0x21...0x7E ~= byte }

  private static func invalid(_ name: String) -> AWSSigningError {
    AWSSigningError(
      .invalidCredentials,
      "the \(name) is empty, or has a character that cannot be in one; check for spaces and line breaks")
  }
}

extension AWSCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "AWSCredentials(***)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["credentials": "***"]) }
}

/// Gives the credentials for each signature. Temporary ones change: a provider keeps those that are still valid, and
/// obtains others before they expire.
///
/// `AWSCredentials` itself is a provider of credentials that do not change.
public protocol AWSCredentialProvider: Sendable {
  /// Returns the credentials that are valid now. Called for each attempt.
  func credentials() async throws -> AWSCredentials

  /// A name for the identity whose credentials these are, such as that of a role; it is no secret. Responses are shared
  /// and cached only among requests of one identity. Default: nil, see `RequestSigner.identity`.
  var identity: String? { get }
}

extension AWSCredentialProvider {
  public var identity: String? { nil }
}

extension AWSCredentials: AWSCredentialProvider {
  public func credentials() -> AWSCredentials { self }
  /// The access key ID.
  public var identity: String? { accessKeyID }
}
