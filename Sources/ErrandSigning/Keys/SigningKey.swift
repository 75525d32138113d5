#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Signs data. `PrivateKey` and `SharedKey` are for keys in this process. Conform to this protocol for a key
/// that stays in its hardware or in another service.
public protocol SigningKey: Sendable {
  /// The algorithm of the signatures.
  var algorithm: SignatureAlgorithm { get }
  /// The name by which a verifier finds its key (RFC 9421, `keyid`); nil if it is not sent.
  var keyID: String? { get }

  /// Returns the signature of the data, in the algorithm's form in RFC 9421, section 3.3. For ECDSA, that is
  /// r and s in their full width, not DER.
  func sign(_ data: Data) async throws -> Data
}

/// Verifies signatures.
public protocol VerificationKey: Sendable {
  /// The algorithm of the signatures. Others are not accepted, even if a message names them.
  var algorithm: SignatureAlgorithm { get }
  /// The name of the key (RFC 9421, `keyid`); nil if it has no name.
  var keyID: String? { get }

  /// Returns true if `signature` is a signature of the data.
  /// - Throws: An error if the signature cannot be checked, for example because the key is in a service that
  ///   is out of reach.
  func isValid(_ signature: Data, for data: Data) async throws -> Bool
}

/// A key that can be distinguished from others of the same name.
protocol FingerprintedKey {
  /// The same for equal keys only; nil if it is not known.
  var fingerprint: String? { get }
}

extension SigningKey {
  /// Nil: signatures do not name the key.
  public var keyID: String? { nil }
}

extension VerificationKey {
  /// Nil: the key has no name.
  public var keyID: String? { nil }
}
