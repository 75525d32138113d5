import CCurl
import ErrandCore

/// The reason why nothing is sent with a configuration.
struct CurlProblem: Sendable {
  let code: RequestError.Code
  let message: String
}

/// The identities of a configuration: opened and checked once.
struct CurlSecurity {
  let identity: TLSIdentity?
  let pins: PublicKeyPins
  /// The reason why nothing is sent, or nil.
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

  /// Returns what this libcurl cannot do, or nil: depending on its TLS library, it takes neither a certificate from
  /// memory nor a pin, and would go without.
  private static func shortcoming(
    _ identity: TLSIdentity?, _ pins: PublicKeyPins, _ credential: ProxyCredential?
  ) -> String? {
    guard identity != nil || !pins.isEmpty || credential != nil, let easy = curl_easy_init() else {
      return nil
    }
    defer { curl_easy_cleanup(easy) }
    if let identity, !identity.apply(to: easy) {
      return "this libcurl takes no client certificate from memory"
    }
    if !pins.isEmpty, errand_setopt_string(easy, CURLOPT_PINNEDPUBLICKEY, "sha256//") != CURLE_OK {
      return "this libcurl cannot compare public keys with pins"
    }
    if let credential, errand_setopt_long(easy, CURLOPT_PROXYAUTH, credential.scheme.bits) != CURLE_OK {
      return "this libcurl cannot log in to a proxy that way"
    }
    return nil
  }
}
