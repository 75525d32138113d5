import CCurl
import ErrandCore

/// The reason why requests cannot be sent with a configuration.
struct CurlProblem: Sendable {
  let code: RequestError.Code
  let message: String
}

/// The client certificate and the pins of a configuration, opened and checked once.
struct CurlSecurity {
  let identity: TLSIdentity?
  let pins: PublicKeyPins
  /// The reason why requests cannot be sent, or nil.
  let problem: String?

  /// - Parameter proxies: The URLs of the proxies.
  init(_ configuration: CurlConfiguration, proxies: [String]) {
    var problems = [configuration.problem(ofCredentialAt: proxies)].compactMap(\.self)
    var (identity, pins) = (TLSIdentity?.none, PublicKeyPins())
    do throws(TLSProblem) {
      if let certificate = configuration.tls.clientCertificate { identity = try TLSIdentity(certificate) }
      pins = try PublicKeyPins(configuration.tls.pins)
    } catch {
      problems.append(error.description)
    }
    (self.identity, self.pins) = (identity, pins)
    problem = problems.first ?? Self.shortcoming(identity, pins, configuration.proxyCredential)
  }

  /// Returns the missing capability of this libcurl, or nil. Depending on its TLS library, libcurl supports
  /// no certificate in memory, or no pins, and would send requests without them.
  private static func shortcoming(
    _ identity: TLSIdentity?, _ pins: PublicKeyPins, _ credential: ProxyCredential?
  ) -> String? {
    guard identity != nil || !pins.isEmpty || credential != nil, let easy = curl_easy_init() else {
      return nil
    }
    defer { curl_easy_cleanup(easy) }
    if let identity, !identity.apply(to: easy) {
      return "this libcurl does not accept a client certificate from memory; use a libcurl with OpenSSL"
    }
    if !pins.isEmpty, errand_setopt_string(easy, CURLOPT_PINNEDPUBLICKEY, "sha256//") != CURLE_OK {
      return "this libcurl cannot compare public keys with pins; use a libcurl with OpenSSL"
    }
    if let credential, errand_setopt_long(easy, CURLOPT_PROXYAUTH, credential.scheme.bits) != CURLE_OK {
      return "this libcurl does not support the authentication scheme of proxyCredential; use another scheme"
    }
    return nil
  }
}
