#if !canImport(CryptoKit)
  import CCrypto
  import ErrandCore

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// A client's certificate, those of the intermediate authorities, and the key, as read by OpenSSL.
  final class KeyPair {
    /// The client's certificate is the first.
    private(set) var certificates: [OpaquePointer] = []
    private(set) var key: OpaquePointer?

    /// - Throws: An error if a file cannot be read or parsed, the password is wrong, or the key does not
    ///   belong to the certificate.
    init(_ certificate: ClientCertificate) throws(TLSProblem) {
      let contents = try certificate.read()
      ERR_clear_error()
      defer { ERR_clear_error() }
      if contents.isPEM {
        try readCertificates(contents.certificate)
        try readKey(contents.key ?? contents.certificate, contents.password, isApart: contents.key != nil)
      } else {
        try readPKCS12(contents.certificate, contents.password)
      }
      guard let own = certificates.first, X509_check_private_key(own, key) == 1 else {
        throw TLSProblem(
          "the key does not belong to the client's certificate, which has to be the first if the file has several"
        )
      }
    }

    deinit {
      for certificate in certificates { X509_free(certificate) }
      EVP_PKEY_free(key)
    }

    private func readCertificates(_ bytes: Data) throws(TLSProblem) {
      let isWhole = Self.read(bytes, password: nil) { file, password in
        while let certificate = errand_crypto_read_certificate(file, &password) {
          certificates.append(certificate)
        }
        return Self.isAtEnd
      }
      guard !certificates.isEmpty else {
        throw TLSProblem(
          isWhole
            ? "the data for the client's certificate contains no certificate (-----BEGIN CERTIFICATE-----)"
            : "the client's certificate is damaged; export it again")
      }
      guard isWhole else {
        throw TLSProblem(
          "certificate \(certificates.count + 1) of the client's certificates is damaged; "
            + "export them again")
      }
    }

    private func readKey(_ bytes: Data, _ given: String?, isApart: Bool) throws(TLSProblem) {
      let isSlow = Self.read(bytes, password: nil) { file, _ in
        errand_crypto_is_slow_pem(file, Self.mostRounds) == 1
      }
      ERR_clear_error()
      if isSlow { throw Self.tooSlow }
      var isEncrypted = false
      key = Self.read(bytes, password: given) { file, password in
        let key = errand_crypto_read_key(file, &password)
        isEncrypted = password.is_asked != 0
        return key
      }
      guard key == nil else { return }
      if isEncrypted {
        throw TLSProblem(
          given == nil
            ? "the key of the client's certificate is encrypted: give its password"
            : "the password for the key of the client's certificate is wrong, or the key is damaged")
      }
      guard bytes.firstRange(of: Data("PRIVATE KEY-----".utf8)) == nil else {
        throw TLSProblem("the key of the client's certificate is damaged; export it again")
      }
      throw TLSProblem(
        isApart
          ? "the data for the client's key contains no private key (-----BEGIN PRIVATE KEY-----)"
          : "the file of the client's certificate contains no private key: give the file of the key, too")
    }

    private func readPKCS12(_ bytes: Data, _ password: String?) throws(TLSProblem) {
      let package = Self.read(bytes, password: nil) { file, _ in d2i_PKCS12_bio(file, nil) }
      guard let package else {
        throw TLSProblem("the client's certificate is neither PEM nor PKCS #12, or it is damaged")
      }
      defer { PKCS12_free(package) }
      if errand_crypto_is_slow_pkcs12(package, Self.mostRounds) == 1 { throw Self.tooSlow }
      ERR_clear_error()
      var (own, others) = (OpaquePointer?.none, OpaquePointer?.none)
      let isOpen = PKCS12_parse(package, password, &key, &own, &others) == 1
      defer { errand_crypto_free_certificates(others) }
      if let own { certificates.append(own) }
      while let other = errand_crypto_take_certificate(others) { certificates.append(other) }
      guard isOpen else { throw Self.problemWithPKCS12(password) }
      guard own != nil, key != nil else {
        throw TLSProblem("the client's PKCS #12 contains no certificate with its key; export both together")
      }
    }

    /// The most iterations for deriving a key from a password, which take some seconds.
    private static let mostRounds = 10_000_000
    private static let tooSlow = TLSProblem(
      "the client's certificate or its key is encrypted with more than \(mostRounds) iterations, which take too long: "
        + "make a copy with fewer (openssl, -iter 1000000)")

    private static func problemWithPKCS12(_ password: String?) -> TLSProblem {
      var isUnsupported = false
      while case let error = ERR_get_error(), error != 0 {
        if ERR_GET_LIB(error) == ERR_LIB_PKCS12, ERR_GET_REASON(error) == PKCS12_R_MAC_VERIFY_FAILURE {
          return TLSProblem(
            password == nil
              ? "the client's PKCS #12 is encrypted: give its password"
              : "the password for the client's PKCS #12 is wrong, or it is damaged")
        }
        // `ERR_R_UNSUPPORTED`, a macro that Swift does not import.
        if ERR_GET_REASON(error) & 0xFFFF == 268 { isUnsupported = true }
      }
      return TLSProblem(
        isUnsupported
          ? "the client's PKCS #12 is encrypted in a way that OpenSSL no longer supports; convert it: openssl pkcs12 "
            + "-legacy -in OLD -nodes | openssl pkcs12 -export -out NEW"
          : "the password for the client's PKCS #12 is wrong, or it is damaged")
    }

    /// True if OpenSSL stopped because it has read everything.
    private static var isAtEnd: Bool {
      let reason = ERR_peek_last_error()
      defer { ERR_clear_error() }
      return ERR_GET_LIB(reason) == ERR_LIB_PEM && ERR_GET_REASON(reason) == PEM_R_NO_START_LINE
    }

    private static func read<Result>(
      _ bytes: Data, password: String?, _ body: (OpaquePointer?, inout errand_crypto_password) -> Result
    ) -> Result {
      bytes.withUnsafeBytes { bytes in
        let file = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
        defer { BIO_free(file) }
        var nothing = errand_crypto_password()
        guard let password else { return body(file, &nothing) }
        return password.withCString { text in
          var given = errand_crypto_password(bytes: text, length: Int32(password.utf8.count), is_asked: 0)
          return body(file, &given)
        }
      }
    }
  }
#endif
