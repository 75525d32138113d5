import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The keys of an identity at AWS, or at a service that signs like AWS. Its descriptions show none of them.
/// The memory of the secret key is overwritten after its last use.
public struct AWSCredentials: Sendable {
  let accessKeyID: String
  /// `AWS4` and the secret access key: the key of the first derivation.
  let firstKey: SecretBytes
  /// The token of temporary credentials, which is sent with each request; nil for permanent credentials.
  let sessionToken: String?
  let derived = AWSDerivedKey()

  /// Makes credentials from keys.
  /// - Throws: `SigningError.invalidCredentials` if a key is empty or has a character that no key has,
  ///   such as the line break at the end of a file.
  public init(
    accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil
  ) throws(SigningError) {
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
  /// - Throws: `SigningError.invalidCredentials`, with the name of the missing variable.
  public init(environment: [String: String]) throws(SigningError) {
    func value(_ name: String) throws(SigningError) -> String {
      guard let value = environment[name], !value.isEmpty else {
        throw SigningError(
          .invalidCredentials, "the environment variable \(name) is not set; set it to sign requests for AWS")
      }
      return value
    }
    let token = environment["AWS_SESSION_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
    try self.init(
      accessKeyID: value("AWS_ACCESS_KEY_ID"), secretAccessKey: value("AWS_SECRET_ACCESS_KEY"),
      sessionToken: token)
  }

  /// Returns true for visible ASCII except the characters that delimit the ID in `Authorization`.
  private static func mayBeInID(_ byte: UInt8) -> Bool {
    mayBeInSecret(byte) && !"/,=".utf8.contains(byte)
  }

  private static func mayBeInSecret(_ byte: UInt8) -> Bool { 0x21...0x7E ~= byte }

  private static func invalid(_ name: String) -> SigningError {
    SigningError(
      .invalidCredentials,
      "the \(name) is empty, or has a character that is not allowed; check for spaces and line breaks")
  }
}

extension AWSCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "AWSCredentials(***)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["credentials": "***"]) }
}

/// Gives the credentials for each signature. Temporary credentials change: a provider keeps those that are
/// still valid, and obtains new ones before they expire.
///
/// `AWSCredentials` is a provider of credentials that do not change.
public protocol AWSCredentialProvider: Sendable {
  /// Returns the credentials that are valid now. It is called for each attempt.
  func credentials() async throws -> AWSCredentials

  /// A name for the identity that the credentials belong to, such as the name of a role. It does not have to
  /// be secret. Requests share and cache responses only with requests of the same identity. Default: nil, see
  /// `RequestSigner.identity`.
  var identity: String? { get }
}

extension AWSCredentialProvider {
  /// Nil, see `RequestSigner.identity`.
  public var identity: String? { nil }
}

extension AWSCredentials: AWSCredentialProvider {
  /// Returns these credentials.
  public func credentials() -> AWSCredentials { self }
  /// The access key ID.
  public var identity: String? { accessKeyID }
}
