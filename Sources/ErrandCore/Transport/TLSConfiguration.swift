/// How a transport speaks TLS with the servers that requests are for: the client's own certificate, the lowest version,
/// and the public keys that hosts may have.
///
/// ```swift
/// var tls = TLSConfiguration()
/// tls.minimumVersion = .tls13
/// tls.clientCertificate = ClientCertificate(file: "/etc/me.p12", password: password)
/// tls.pins = ["api.example.com": ["sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]]
/// ```
///
/// A configuration that cannot be used (a file that cannot be read, a wrong password, a pin that is none) fails every
/// request with `RequestError(.invalidConfiguration)`, before anything is sent.
public struct TLSConfiguration: Sendable, Hashable {
  /// The certificate that the client shows to a server that asks for one. A proxy is never shown it. Default: nil.
  public var clientCertificate: ClientCertificate?

  /// The lowest version of TLS that is spoken, also with a proxy. Default: TLS 1.2 (RFC 9325).
  public var minimumVersion = TLSVersion.tls12

  /// The public keys that hosts may have, besides a certificate that is trusted.
  ///
  /// A key of the dictionary is a host's name (`api.example.com`), or a name with a wildcard for exactly one label
  /// (`*.example.com`: `api.example.com`, and neither `example.com` nor `a.b.example.com`), or `*` for every host. Its
  /// values are pins: `sha256/` and the SHA-256 of the key's SubjectPublicKeyInfo in base64 (RFC 7469, section 2.4).
  /// One of them must be that of the server's own certificate; a host that several names match may have any of their
  /// keys. Give two at least, one of a key that is kept in reserve. Default: none, any key.
  ///
  /// They hold for the host of each request's URL, after a redirect as before it, and not for a proxy. A host with
  /// another key fails the request with `RequestError(.pinMismatch)`, which is never retried.
  public var pins: [String: [String]] = [:]

  public init() {}
}

/// A version of TLS.
public enum TLSVersion: String, Sendable, Hashable, Comparable, CustomStringConvertible {
  /// RFC 5246.
  case tls12 = "1.2"
  /// RFC 8446.
  case tls13 = "1.3"

  public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }

  public var description: String { "TLS \(rawValue)" }
}
