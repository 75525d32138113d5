import ErrandCore
import ErrandSigning

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A file with a key, as PEM or as a JSON Web Key.
struct KeyFile {
  private static let longest = 1 << 20

  private let path: String
  private let data: Data

  init(_ path: String) throws {
    self.path = path
    data = try FileDescriptor.contents(of: path, limit: Self.longest)
  }

  /// Returns the private or the shared key of the file.
  /// - Parameters:
  ///   - keyID: The key ID to send; nil for that of a JSON Web Key.
  ///   - password: The password of an encrypted key.
  func signingKey(keyID: String?, password: SecretText?) throws -> any SigningKey {
    try named {
      guard isJSON else {
        return try PrivateKey(
          pem: String(decoding: data, as: UTF8.self), password: password?.text, keyID: keyID
        ).signingKey()
      }
      let key: any SigningKey =
        if let shared = try sharedKey() { shared } else { try PrivateKey(jwk: data).signingKey() }
      return keyID.map { NamedKey(keyID: $0, key: key) } ?? key
    }
  }

  /// Returns the public or the shared key of the file.
  func verificationKey() throws -> any VerificationKey {
    try named {
      guard isJSON else {
        return try PublicKey(pem: String(decoding: data, as: UTF8.self)).verificationKey()
      }
      if let shared = try sharedKey() { return shared }
      return try PublicKey(jwk: data).verificationKey()
    }
  }

  private var isJSON: Bool { data.first { $0 != 32 && $0 != 9 && $0 != 10 && $0 != 13 } == UInt8(ascii: "{") }

  /// Returns the shared key of the file, or nil if the file has a private or a public key.
  private func sharedKey() throws(SigningError) -> SharedKey? {
    do {
      return try SharedKey(jwk: data)
    } catch {
      guard error.code == .unsupportedKey else { throw error }
      return nil
    }
  }

  /// Runs `body`, and adds the file's name to its errors.
  private func named<Key>(_ body: () throws -> Key) throws -> Key {
    do {
      return try body()
    } catch let error as SigningError {
      let hint = error.code == .passwordNeeded ? "--key-password @FILE reads the password from a file." : nil
      throw CommandFailure(.usage, error.code.description, "\(path): \(error.message)", hint: hint)
    }
  }
}

/// A key with a key ID that the user chose.
private struct NamedKey: SigningKey {
  let keyID: String?
  let key: any SigningKey
  var algorithm: SignatureAlgorithm { key.algorithm }

  func sign(_ data: Data) async throws -> Data { try await key.sign(data) }
}
