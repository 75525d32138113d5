import ErrandCore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

#if canImport(Darwin)
  import Security

  /// Answers the challenges of TLS: shows the client's certificate, and compares the keys of hosts.
  final class SessionTLS: Sendable {
    enum Answer {
      /// As the system does it: it checks whether the certificate is trusted.
      case system
      case credential(URLCredential)
      case mismatch(message: String)
    }

    let pins: PublicKeyPins
    /// The reason why nothing is sent, or nil.
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

    /// Returns nil if the challenge is not about TLS.
    func answer(to challenge: URLAuthenticationChallenge) -> Answer? {
      let space = challenge.protectionSpace
      switch space.authenticationMethod {
      case NSURLAuthenticationMethodServerTrust:
        // A proxy is no host that is pinned.
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
          "URLSession takes a client's certificate as PKCS #12: openssl pkcs12 -export -in CERT -inkey KEY -out FILE"
        )
      }
      // In memory: the keychain is the user's.
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
        throw TLSProblem("the client's certificate is no PKCS #12 with its key, or it is damaged (\(status))")
      }
      let chain = item[kSecImportItemCertChain as String] as? [Any]
      // The system gives no other type here, and Swift cannot ask an object of Core Foundation for its type.
      return URLCredential(
        identity: identity as! SecIdentity, certificates: chain.map { Array($0.dropFirst()) },
        persistence: .none)
    }
  }
#else
  /// URLSession on Linux tells of no handshake and takes no certificate: what would be ignored is refused.
  struct SessionTLS: Sendable {
    let pins = PublicKeyPins()
    let problem: String?

    init(_ configuration: TLSConfiguration) {
      let reason =
        !configuration.pins.isEmpty
        ? "public keys cannot be pinned"
        : configuration.clientCertificate != nil
          ? "no client certificate can be shown"
          : configuration.minimumVersion > .tls12 ? "the lowest version of TLS cannot be set" : nil
      problem = reason.map { "\($0) with URLSession on Linux; CurlTransport can" }
    }

    func apply(to configuration: URLSessionConfiguration) {}
  }
#endif
