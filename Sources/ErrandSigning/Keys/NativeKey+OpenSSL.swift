#if !canImport(CryptoKit)
  import CCrypto

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// A key of OpenSSL, which also clears the key's memory.
  final class NativeKey: Sendable {
    let kind: KeyKind
    // Safe to share: it never changes, and OpenSSL's counts and caches are atomic.
    nonisolated(unsafe) private let key: OpaquePointer

    deinit { EVP_PKEY_free(key) }

    /// - Parameter password: Decrypts the key if it is encrypted.
    convenience init(_ der: KeyDER, password: SecretBytes? = nil) throws(SigningError) {
      let isEncrypted = der.form == .encryptedPKCS8
      guard der.isWellFormed else { throw SigningError.damaged }
      if isEncrypted, password == nil { throw SigningError.passwordNeeded }
      if isEncrypted, OpenSSL.isSlow(der) { throw PBES2.tooSlow }
      guard let key = OpenSSL.decode(der, password: password) else {
        throw isEncrypted ? SigningError.wrongPassword : SigningError.damaged
      }
      try self.init(owning: key)
    }

    private init(owning key: OpaquePointer) throws(SigningError) {
      self.key = key
      do {
        kind = try Self.kind(of: key)
      } catch {
        EVP_PKEY_free(key)
        throw error
      }
    }

    private static func kind(of key: OpaquePointer) throws(SigningError) -> KeyKind {
      if EVP_PKEY_is_a(key, "ED25519") == 1 {
        var (point, length) = ([UInt8](repeating: 0, count: 32), 32)
        guard EVP_PKEY_get_raw_public_key(key, &point, &length) == 1 else { throw SigningError.damaged }
        try PublicKeyCheck.ed25519(point.prefix(length))
        return .ed25519
      }
      let isRSA = EVP_PKEY_is_a(key, "RSA") == 1
      if isRSA || EVP_PKEY_is_a(key, "RSA-PSS") == 1 {
        try PublicKeyCheck.rsa(modulus: number("n", of: key), exponent: number("e", of: key))
        return isRSA ? .rsa : .rsaPSS
      }
      var (name, count) = ([CChar](repeating: 0, count: 64), 0)
      if EVP_PKEY_is_a(key, "EC") == 1, EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 {
        switch String(decoding: name.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) {
        case "prime256v1", "P-256": return .p256
        case "secp384r1", "P-384": return .p384
        default: break
        }
      }
      throw SigningError.unsupportedKind
    }

    /// Returns a number that a key consists of, in network byte order; empty if the key has no number of this name.
    private static func number(_ name: String, of key: OpaquePointer) -> [UInt8] {
      var number: OpaquePointer?
      guard EVP_PKEY_get_bn_param(key, name, &number) == 1 else { return [] }
      defer { BN_free(number) }
      var bytes = [UInt8](repeating: 0, count: Int(BN_num_bits(number) + 7) / 8)
      let count = Int(BN_bn2bin(number, &bytes))
      return Array(bytes.prefix(count))
    }

    /// Returns the public part alone.
    func publicKey() throws(SigningError) -> NativeKey {
      var start: UnsafeMutablePointer<UInt8>?
      let count = Int(i2d_PUBKEY(key, &start))
      guard let start, count > 0 else { throw SigningError.damaged }
      defer { errand_crypto_free(start) }
      return try NativeKey(KeyDER(.spki, SecretBytes(UnsafeRawBufferPointer(start: start, count: count))))
    }

    /// Returns true if the key can be used with the algorithm. A key for RSASSA-PSS may be restricted to one hash.
    func allows(_ algorithm: SignatureAlgorithm) -> Bool {
      use(algorithm, EVP_DigestVerifyInit) { _ in true } ?? false
    }

    /// Returns the signature; nil if OpenSSL fails.
    func sign(_ data: Data, _ algorithm: SignatureAlgorithm) -> Data? {
      let signature: Data? =
        use(algorithm, EVP_DigestSignInit) { context in
          data.withUnsafeBytes { data in
            let bytes = data.bindMemory(to: UInt8.self).baseAddress
            var count = 0
            guard EVP_DigestSign(context, nil, &count, bytes, data.count) == 1 else { return nil }
            var signature = [UInt8](repeating: 0, count: count)
            guard EVP_DigestSign(context, &signature, &count, bytes, data.count) == 1 else { return nil }
            return Data(signature.prefix(count))
          }
        } ?? nil
      guard let width = kind.coordinateWidth else { return signature }
      return signature.flatMap { ECDSASignature.raw(der: $0, width: width) }
    }

    func isValid(_ signature: Data, for data: Data, _ algorithm: SignatureAlgorithm) -> Bool {
      var signature = signature
      if let width = kind.coordinateWidth {
        guard let der = ECDSASignature.der(raw: signature, width: width) else { return false }
        signature = der
      }
      return use(algorithm, EVP_DigestVerifyInit) { context in
        signature.withUnsafeBytes { signature in
          data.withUnsafeBytes { data in
            EVP_DigestVerify(
              context, signature.bindMemory(to: UInt8.self).baseAddress, signature.count,
              data.bindMemory(to: UInt8.self).baseAddress, data.count) == 1
          }
        }
      } ?? false
    }

    private typealias Start = (
      OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?, OpaquePointer?, OpaquePointer?, OpaquePointer?
    ) -> Int32

    /// Calls `body` with a context for the algorithm.
    /// - Returns: Nil if the key cannot be used with the algorithm.
    private func use<Result>(
      _ algorithm: SignatureAlgorithm, _ start: Start, _ body: (OpaquePointer) -> Result
    ) -> Result? {
      guard let context = EVP_MD_CTX_new() else { return nil }
      defer {
        EVP_MD_CTX_free(context)
        ERR_clear_error()
      }
      var parameters: OpaquePointer?
      guard start(context, &parameters, OpenSSL.digest(of: algorithm), nil, key) == 1 else { return nil }
      switch algorithm {
      case .rsaPSSSHA512:
        guard EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) == 1,
          EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, 64) == 1,
          EVP_PKEY_CTX_set_rsa_mgf1_md(parameters, EVP_sha512()) == 1
        else { return nil }
      case .rsaV15SHA256:
        guard EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PADDING) == 1 else { return nil }
      default: break
      }
      return body(context)
    }
  }

  enum OpenSSL {
    static func digest(of algorithm: SignatureAlgorithm) -> OpaquePointer? {
      switch algorithm {
      case .ecdsaP256SHA256, .rsaV15SHA256: EVP_sha256()
      case .ecdsaP384SHA384: EVP_sha384()
      case .rsaPSSSHA512: EVP_sha512()
      // Ed25519 includes its hash.
      default: nil
      }
    }

    /// Returns true if decrypting the key takes more than `PBES2.maximumIterations` iterations.
    static func isSlow(_ der: KeyDER) -> Bool {
      defer { ERR_clear_error() }
      return der.bytes.withUnsafeBytes { bytes in
        errand_crypto_is_slow_pkcs8(
          bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, PBES2.maximumIterations) == 1
      }
    }

    /// Returns the key, which the caller frees; nil if the bytes are not a key, or if the password is wrong.
    static func decode(_ der: KeyDER, password: SecretBytes?) -> OpaquePointer? {
      let (structure, type): (String, String?) =
        switch der.form {
        case .pkcs8: ("PrivateKeyInfo", nil)
        case .encryptedPKCS8: ("EncryptedPrivateKeyInfo", nil)
        case .sec1: ("type-specific", "EC")
        case .pkcs1, .publicPKCS1: ("type-specific", "RSA")
        case .spki: ("SubjectPublicKeyInfo", nil)
        }
      defer { ERR_clear_error() }
      func decode(_ password: UnsafeRawBufferPointer?) -> OpaquePointer? {
        der.bytes.withUnsafeBytes { bytes in
          errand_crypto_decode(
            bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, structure, type,
            der.form.isPrivate ? 1 : 0,
            password?.bindMemory(to: UInt8.self).baseAddress, password?.count ?? 0)
        }
      }
      guard let password else { return decode(nil) }
      return password.withUnsafeBytes { decode($0) }
    }
  }
#endif
