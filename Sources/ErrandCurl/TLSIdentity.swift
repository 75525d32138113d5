import CCurl
import ErrandCore

#if canImport(CryptoKit)
  import Darwin
  import Foundation
#else
  import CCrypto
#endif

/// A client's certificate and key in the form that libcurl accepts. They are read once, and checked to belong
/// together.
final class TLSIdentity: Sendable {
  private let certificate: Secret
  /// Nil if the certificate's data contains the key.
  private let key: Secret?
  private let type: String
  /// Nil if the key is not encrypted.
  private let password: String?

  /// Bytes that are overwritten before their memory is freed.
  final class Secret: Sendable {
    // Safe to share: the bytes do not change. libcurl declares its pointer mutable, but only reads.
    nonisolated(unsafe) let memory: UnsafeMutableRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
      memory = .allocate(byteCount: bytes.count, alignment: 1)
      memory.copyMemory(from: bytes)
    }

    deinit {
      #if canImport(CryptoKit)
        memset_s(memory.baseAddress, memory.count, 0, memory.count)
      #else
        OPENSSL_cleanse(memory.baseAddress, memory.count)
      #endif
      memory.deallocate()
    }
  }

  /// Sets the options of a handle, which must not outlive the identity. Returns false if libcurl does not
  /// support them.
  func apply(to easy: UnsafeMutableRawPointer) -> Bool {
    func set(_ option: CURLoption, _ secret: Secret?) -> Bool {
      guard let memory = secret?.memory else { return true }
      return errand_setopt_blob(easy, option, memory.baseAddress, memory.count) == CURLE_OK
    }
    func set(_ option: CURLoption, _ text: String?) -> Bool {
      text?.withCString { errand_setopt_string(easy, option, $0) == CURLE_OK } ?? true
    }
    return set(CURLOPT_SSLCERT_BLOB, certificate) && set(CURLOPT_SSLKEY_BLOB, key)
      && set(CURLOPT_SSLCERTTYPE, type)
      && set(CURLOPT_KEYPASSWD, password)
  }

  #if canImport(CryptoKit)
    /// Reads the files without parsing them, which libcurl does.
    init(_ certificate: ClientCertificate) throws(TLSProblem) {
      let contents = try certificate.read()
      self.certificate = contents.certificate.withUnsafeBytes { Secret($0) }
      key = contents.key.map { $0.withUnsafeBytes { Secret($0) } }
      type = contents.isPEM ? "PEM" : "P12"
      password = contents.password
    }
  #else
    init(_ certificate: ClientCertificate) throws(TLSProblem) {
      let pair = try KeyPair(certificate)
      self.certificate = try Self.written { file in
        pair.certificates.allSatisfy { PEM_write_bio_X509(file, $0) == 1 }
      }
      key = try Self.written { PEM_write_bio_PrivateKey($0, pair.key, nil, nil, 0, nil, nil) == 1 }
      type = "PEM"
      password = nil
    }

    private static func written(_ write: (OpaquePointer) -> Bool) throws(TLSProblem) -> Secret {
      // OpenSSL overwrites this kind of memory when it frees it.
      guard let memory = BIO_new(BIO_s_secmem()) else { throw TLSProblem("OpenSSL has no memory") }
      defer { BIO_free(memory) }
      var bytes: UnsafeMutablePointer<CChar>?
      guard write(memory), case let length = errand_crypto_written(memory, &bytes), length > 0 else {
        throw TLSProblem("OpenSSL cannot write the client's certificate or its key")
      }
      return Secret(UnsafeRawBufferPointer(start: bytes, count: length))
    }
  #endif
}
