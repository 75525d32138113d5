import ErrandCore
import ErrandSigning

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A file with a key: PEM, or a JSON Web Key.
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
  ///   - keyID: The name that is sent; nil for that of a JSON Web Key.
  ///   - password: Decrypts the key, if it is encrypted.
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

  /// Returns nil for one of a pair of keys.
  private func sharedKey() throws(KeyError) -> SharedKey? {
    do {
      return try SharedKey(jwk: data)
    } catch {
      guard error.code == .unsupportedKey else { throw error }
      return nil
    }
  }

  /// Adds the file's name to the reason why its key cannot be used.
  private func named<Key>(_ body: () throws -> Key) throws -> Key {
    do {
      return try body()
    } catch let error as KeyError {
      let hint = error.code == .passwordNeeded ? "--key-password @FILE reads it from a file." : nil
      throw CommandFailure(.usage, error.code.rawValue, "\(path): \(error.message)", hint: hint)
    }
  }
}

/// A key with a name of the user's choice.
private struct NamedKey: SigningKey {
  let keyID: String?
  let key: any SigningKey
  var algorithm: SignatureAlgorithm { key.algorithm }

  func sign(_ data: Data) async throws -> Data { try await key.sign(data) }
}
