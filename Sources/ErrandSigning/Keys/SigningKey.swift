#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Signs data. A key that never leaves its hardware, or another service, conforms to it, too: `PrivateKey` and
/// `SharedKey` are for keys that are at hand.
public protocol SigningKey: Sendable {
  /// The algorithm of the signatures.
  var algorithm: SignatureAlgorithm { get }
  /// The name by which a verifier finds its key (RFC 9421, `keyid`); nil if it is not told.
  var keyID: String? { get }

  /// Returns the signature of the data, in the form that RFC 9421, section 3.3, gives for the algorithm: of ECDSA,
  /// that is r and s in their full width, and not DER.
  func sign(_ data: Data) async throws -> Data
}

/// Verifies signatures.
public protocol VerificationKey: Sendable {
  /// The algorithm of the signatures. Others are not accepted, whatever a message says.
  var algorithm: SignatureAlgorithm { get }
  /// The name of the key (RFC 9421, `keyid`); nil if it has none.
  var keyID: String? { get }

  /// Returns true if this is a signature of the data.
  /// - Throws: If that cannot be told, because the key is elsewhere and out of reach.
  func isValid(_ signature: Data, for data: Data) async throws -> Bool
}

/// A key that can be told from others of the same name.
protocol FingerprintedKey {
  /// Nil if it cannot.
  var fingerprint: String? { get }
}

extension SigningKey {
  public var keyID: String? { nil }
}

extension VerificationKey {
  public var keyID: String? { nil }
}
