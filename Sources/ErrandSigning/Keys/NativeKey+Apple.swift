#if canImport(CryptoKit)
  import CryptoKit
  import Foundation
  import Security

  /// A key of CryptoKit or, for RSA, of the Security framework. Both clear the key's memory.
  final class NativeKey: Sendable {
    private enum Storage {
      case ed25519(Curve25519.Signing.PrivateKey)
      case publicEd25519(Curve25519.Signing.PublicKey)
      case p256(P256.Signing.PrivateKey)
      case publicP256(P256.Signing.PublicKey)
      case p384(P384.Signing.PrivateKey)
      case publicP384(P384.Signing.PublicKey)
      case rsa(SecKey)
      case publicRSA(SecKey)
    }

    let kind: KeyKind
    // Safe to share: nothing changes it, and both frameworks' keys may be used on any thread.
    nonisolated(unsafe) private let storage: Storage

    private init(_ kind: KeyKind, _ storage: Storage) {
      (self.kind, self.storage) = (kind, storage)
    }

    /// - Parameter password: Decrypts the key if it is encrypted.
    convenience init(_ der: KeyDER, password: SecretBytes? = nil) throws(SigningError) {
      guard der.isWellFormed else { throw SigningError.damaged }
      let bytes = der.bytes.withUnsafeBytes { Data($0) }
      switch der.form {
      case .pkcs8:
        guard let info = KeyInfo(privateKey: bytes) else { throw SigningError.damaged }
        try self.init(privateKey: info, bytes)
      case .encryptedPKCS8:
        guard let password else { throw SigningError.passwordNeeded }
        let plain = KeyDER(.pkcs8, try PBES2.decrypt(bytes, password))
        guard plain.isWellFormed else { throw SigningError.wrongPassword }
        try self.init(plain)
      case .sec1: try self.init(ellipticKey: bytes)
      case .pkcs1: try self.init(.rsa, .rsa(Self.rsa(bytes, kSecAttrKeyClassPrivate)))
      case .spki:
        guard let info = KeyInfo(publicKey: bytes) else { throw SigningError.damaged }
        try self.init(publicKey: info, bytes)
      case .publicPKCS1: try self.init(.rsa, .publicRSA(Self.rsa(bytes, kSecAttrKeyClassPublic)))
      }
    }

    private convenience init(privateKey info: KeyInfo<Data>, _ whole: Data) throws(SigningError) {
      switch (info.algorithm, info.curve) {
      case (ObjectIdentifier.ed25519, nil):
        // The key is wrapped a second time (RFC 8410, section 7).
        var inner = DERReader(info.key)
        guard let seed = inner.read(.octetString), inner.isAtEnd,
          let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: Data(seed))
        else { throw SigningError.damaged }
        self.init(.ed25519, .ed25519(key))
      case (ObjectIdentifier.ellipticKey, ObjectIdentifier.p256),
        (ObjectIdentifier.ellipticKey, ObjectIdentifier.p384):
        try self.init(ellipticKey: whole)
      case (ObjectIdentifier.rsa, nil):
        try self.init(.rsa, .rsa(Self.rsa(Data(info.key), kSecAttrKeyClassPrivate)))
      case (ObjectIdentifier.rsaPSS, nil) where !info.isRestricted:
        try self.init(.rsaPSS, .rsa(Self.rsa(Data(info.key), kSecAttrKeyClassPrivate)))
      default: throw SigningError.unsupportedKind
      }
    }

    private convenience init(publicKey info: KeyInfo<Data>, _ whole: Data) throws(SigningError) {
      switch (info.algorithm, info.curve) {
      case (ObjectIdentifier.ed25519, nil):
        try PublicKeyCheck.ed25519(info.key)
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: Data(info.key)) else {
          throw SigningError.damaged
        }
        self.init(.ed25519, .publicEd25519(key))
      case (ObjectIdentifier.ellipticKey, ObjectIdentifier.p256):
        guard let key = try? P256.Signing.PublicKey(derRepresentation: whole) else {
          throw SigningError.damaged
        }
        self.init(.p256, .publicP256(key))
      case (ObjectIdentifier.ellipticKey, ObjectIdentifier.p384):
        guard let key = try? P384.Signing.PublicKey(derRepresentation: whole) else {
          throw SigningError.damaged
        }
        self.init(.p384, .publicP384(key))
      case (ObjectIdentifier.rsa, nil):
        try self.init(.rsa, .publicRSA(Self.rsa(Data(info.key), kSecAttrKeyClassPublic)))
      case (ObjectIdentifier.rsaPSS, nil) where !info.isRestricted:
        try self.init(.rsaPSS, .publicRSA(Self.rsa(Data(info.key), kSecAttrKeyClassPublic)))
      default: throw SigningError.unsupportedKind
      }
    }

    /// Reads SEC 1 or PKCS #8, of either curve.
    private convenience init(ellipticKey der: Data) throws(SigningError) {
      if let key = try? P256.Signing.PrivateKey(derRepresentation: der) {
        self.init(.p256, .p256(key))
      } else if let key = try? P384.Signing.PrivateKey(derRepresentation: der) {
        self.init(.p384, .p384(key))
      } else {
        throw SigningError.unsupportedKind
      }
    }

    /// Reads PKCS #1.
    private static func rsa(_ der: Data, _ part: CFString) throws(SigningError) -> SecKey {
      let attributes = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: part] as CFDictionary
      guard let key = SecKeyCreateWithData(der as CFData, attributes, nil) else { throw SigningError.damaged }
      // The external representation of a public key is PKCS #1: its modulus and its exponent.
      guard let publicKey = part == kSecAttrKeyClassPublic ? key : SecKeyCopyPublicKey(key),
        let numbers = SecKeyCopyExternalRepresentation(publicKey, nil) as Data?
      else { throw SigningError.damaged }
      var outer = DERReader(numbers)
      guard var inner = outer.readSequence(), let modulus = inner.readUnsigned(),
        let exponent = inner.readUnsigned()
      else { throw SigningError.damaged }
      try PublicKeyCheck.rsa(modulus: modulus, exponent: exponent)
      return key
    }

    /// Returns the public part alone.
    func publicKey() throws(SigningError) -> NativeKey {
      switch storage {
      case .ed25519(let key): return NativeKey(kind, .publicEd25519(key.publicKey))
      case .p256(let key): return NativeKey(kind, .publicP256(key.publicKey))
      case .p384(let key): return NativeKey(kind, .publicP384(key.publicKey))
      case .rsa(let key):
        guard let publicKey = SecKeyCopyPublicKey(key) else { throw SigningError.damaged }
        return NativeKey(kind, .publicRSA(publicKey))
      case .publicEd25519, .publicP256, .publicP384, .publicRSA: return self
      }
    }

    /// Returns true if the key can be used with the algorithm.
    func allows(_ algorithm: SignatureAlgorithm) -> Bool {
      switch storage {
      case .rsa(let key):
        return Self.secKeyAlgorithm(algorithm).map { SecKeyIsAlgorithmSupported(key, .sign, $0) } ?? false
      case .publicRSA(let key):
        return Self.secKeyAlgorithm(algorithm).map { SecKeyIsAlgorithmSupported(key, .verify, $0) } ?? false
      default: return true
      }
    }

    /// Returns the signature; nil if the system fails, or if the key is public.
    func sign(_ data: Data, _ algorithm: SignatureAlgorithm) -> Data? {
      switch storage {
      case .ed25519(let key): return try? key.signature(for: data)
      case .p256(let key): return try? key.signature(for: data).rawRepresentation
      case .p384(let key): return try? key.signature(for: data).rawRepresentation
      case .rsa(let key):
        guard let name = Self.secKeyAlgorithm(algorithm) else { return nil }
        return SecKeyCreateSignature(key, name, data as CFData, nil) as Data?
      case .publicEd25519, .publicP256, .publicP384, .publicRSA: return nil
      }
    }

    func isValid(_ signature: Data, for data: Data, _ algorithm: SignatureAlgorithm) -> Bool {
      switch storage {
      case .publicEd25519(let key): return key.isValidSignature(signature, for: data)
      case .publicP256(let key):
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else {
          return false
        }
        return key.isValidSignature(signature, for: data)
      case .publicP384(let key):
        guard let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature) else {
          return false
        }
        return key.isValidSignature(signature, for: data)
      case .publicRSA(let key):
        guard let name = Self.secKeyAlgorithm(algorithm) else { return false }
        return SecKeyVerifySignature(key, name, data as CFData, signature as CFData, nil)
      case .ed25519, .p256, .p384, .rsa:
        return (try? publicKey())?.isValid(signature, for: data, algorithm) ?? false
      }
    }

    /// Returns the Security framework's name of an RSA algorithm. The salt of PSS is as long as the hash: 64 bytes.
    private static func secKeyAlgorithm(_ algorithm: SignatureAlgorithm) -> SecKeyAlgorithm? {
      switch algorithm {
      case .rsaPSSSHA512: .rsaSignatureMessagePSSSHA512
      case .rsaV15SHA256: .rsaSignatureMessagePKCS1v15SHA256
      default: nil
      }
    }
  }
#endif
