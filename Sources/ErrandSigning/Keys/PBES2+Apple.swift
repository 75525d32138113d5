#if canImport(CryptoKit)
  import CommonCrypto
  import Foundation

  extension PBES2 {
    /// Returns the decrypted key.
    /// - Throws: `.unsupportedKey` if the encryption is not supported; `.wrongPassword` if decryption fails.
    static func decrypt(_ bytes: Data, _ password: SecretBytes) throws(SigningError) -> SecretBytes {
      guard let parameters = PBES2(bytes) else {
        throw SigningError(
          .unsupportedKey,
          "the private key is encrypted in a way that this system does not support; convert it with "
            + "\"openssl pkcs8 -topk8 -v2 aes-256-cbc\"")
      }
      guard parameters.iterations <= maximumIterations else { throw tooSlow }
      guard let key = parameters.decrypted(password) else { throw SigningError.wrongPassword }
      return key
    }

    private func decrypted(_ password: SecretBytes) -> SecretBytes? {
      var isDerived = false
      let key = SecretBytes(count: keyLength) { key in
        password.withUnsafeBytes { password in
          isDerived =
            CCKeyDerivationPBKDF(
              CCPBKDFAlgorithm(kCCPBKDF2), password.bindMemory(to: CChar.self).baseAddress, password.count,
              salt,
              salt.count, pseudoRandomAlgorithm, UInt32(iterations),
              key.bindMemory(to: UInt8.self).baseAddress,
              key.count) == kCCSuccess
        }
      }
      guard isDerived else { return nil }
      var count = 0
      var isDecrypted = false
      let plain = SecretBytes(count: ciphertext.count) { plain in
        key.withUnsafeBytes { key in
          isDecrypted =
            CCCrypt(
              CCOperation(kCCDecrypt), CCAlgorithm(kCCAlgorithmAES), CCOptions(kCCOptionPKCS7Padding),
              key.baseAddress,
              key.count, initializationVector, ciphertext, ciphertext.count, plain.baseAddress, plain.count,
              &count)
            == kCCSuccess
        }
      }
      guard isDecrypted else { return nil }
      return plain.withUnsafeBytes { SecretBytes(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
    }

    private var pseudoRandomAlgorithm: CCPseudoRandomAlgorithm {
      switch hash {
      case .sha1: CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA1)
      case .sha256: CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA256)
      case .sha384: CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA384)
      case .sha512: CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA512)
      }
    }
  }
#endif
