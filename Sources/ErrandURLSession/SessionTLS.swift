import ErrandCore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

#if canImport(Darwin)
  import Security

  /// Responds to TLS challenges: it sends the client's certificate, and compares the keys of hosts with pins.
  final class SessionTLS: Sendable {
    enum Answer {
      /// The system's handling, which checks whether the certificate is trusted.
      case system
      case credential(URLCredential)
      case mismatch(message: String)
    }

    let pins: PublicKeyPins
    /// The reason why requests cannot be sent, or nil.
    let problem: String?
    private let minimumVersion: TLSVersion
    private let credential: URLCredential?

    init(_ configuration: TLSConfiguration) {
      minimumVersion = configuration.minimumVersion
      do {
        let pins = try PublicKeyPins(configuration.pins)
        credential = try configuration.clientCertificate.map(Self.credential)
        self.pins = pins
        problem = nil
      } catch {
        (pins, credential, problem) = (PublicKeyPins(), nil, "\(error)")
      }
    }

    func apply(to configuration: URLSessionConfiguration) {
      configuration.tlsMinimumSupportedProtocolVersion = minimumVersion == .tls13 ? .TLSv13 : .TLSv12
    }

    /// Returns the response to a challenge; nil if the challenge does not concern TLS.
    func answer(to challenge: URLAuthenticationChallenge) -> Answer? {
      let space = challenge.protectionSpace
      switch space.authenticationMethod {
      case NSURLAuthenticationMethodServerTrust:
        // Pins apply to hosts, not to proxies.
        guard !space.isProxy(), let trust = space.serverTrust else { return .system }
        let keys = pins.keys(of: space.host)
        let seen = Self.pin(of: trust)
        if keys.isEmpty || seen.map(keys.contains) == true { return .system }
        return .mismatch(message: keys.mismatch(at: space.host, seen: seen))
      case NSURLAuthenticationMethodClientCertificate:
        guard !space.isProxy(), let credential else { return .system }
        return .credential(credential)
      default: return nil
      }
    }

    /// Returns the pin of the server's own key.
    private static func pin(of trust: SecTrust) -> PublicKeyPin? {
      guard let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate], let own = chain.first else {
        return nil
      }
      return PublicKeyPin(certificate: SecCertificateCopyData(own) as Data)
    }

    private static func credential(_ certificate: ClientCertificate) throws(TLSProblem) -> URLCredential {
      let contents = try certificate.read()
      guard !contents.isPEM else {
        throw TLSProblem(
          "URLSession needs a client certificate in PKCS #12; convert it: openssl pkcs12 -export -in CERT -inkey KEY -out FILE"
        )
      }
      // In memory only, because the keychain belongs to the user.
      let options: [String: Any] = [
        kSecImportExportPassphrase as String: contents.password ?? "", kSecImportToMemoryOnly as String: true,
      ]
      var items: CFArray?
      let status = SecPKCS12Import(contents.certificate as CFData, options as CFDictionary, &items)
      guard status != errSecAuthFailed else {
        throw TLSProblem(
          contents.password == nil
            ? "the client's PKCS #12 is encrypted: give its password"
            : "the password for the client's PKCS #12 is wrong, or it is damaged")
      }
      guard status == errSecSuccess, let item = (items as? [[String: Any]])?.first,
        let identity = item[kSecImportItemIdentity as String]
      else {
        throw TLSProblem(
          "the client's certificate is not a PKCS #12 with its key, or it is damaged "
            + "(\(status)); export it again")
      }
      let chain = item[kSecImportItemCertChain as String] as? [Any]
      // The system returns no other type here, and Swift cannot check the type of a Core Foundation object.
      return URLCredential(
        identity: identity as! SecIdentity, certificates: chain.map { Array($0.dropFirst()) },
        persistence: .none)
    }
  }
#else
  /// URLSession on Linux reports no handshakes and accepts no certificate. Options that it would ignore are refused.
  struct SessionTLS: Sendable {
    let pins = PublicKeyPins()
    let problem: String?

    init(_ configuration: TLSConfiguration) {
      let reason =
        !configuration.pins.isEmpty
        ? "public keys cannot be pinned"
        : configuration.clientCertificate != nil
          ? "a client certificate cannot be used"
          : configuration.minimumVersion > .tls12 ? "the lowest version of TLS cannot be set" : nil
      problem = reason.map { "\($0) with URLSession on Linux; use CurlTransport" }
    }

    func apply(to configuration: URLSessionConfiguration) {}
  }
#endif
