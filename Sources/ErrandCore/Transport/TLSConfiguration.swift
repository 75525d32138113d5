#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The TLS settings of a transport: the client's certificate, the lowest version, and the public keys that
/// hosts may have.
///
/// ```swift
/// var tls = TLSConfiguration()
/// tls.minimumVersion = .tls13
/// tls.clientCertificate = ClientCertificate(file: "/etc/me.p12", password: password)
/// tls.pins = ["api.example.com": ["sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]]
/// ```
///
/// If a configuration cannot be used, every request fails with `RequestError(.invalidConfiguration)` before
/// anything is sent. Examples are a file that cannot be read, a wrong password, and an invalid pin.
public struct TLSConfiguration: Sendable, Hashable {
  /// The certificate that the client sends to a server that asks for one. It is never sent to a proxy.
  /// Default: nil.
  public var clientCertificate: ClientCertificate?

  /// The lowest version of TLS that the client accepts, also from a proxy. Default: TLS 1.2 (RFC 9325).
  public var minimumVersion = TLSVersion.tls12

  /// The public keys that hosts may have. The certificate must be trusted as well. Default: empty, which
  /// allows any key.
  ///
  /// A key of the dictionary is one of:
  /// - the name of a host, such as `api.example.com`;
  /// - a name with a wildcard for exactly one label: `*.example.com` matches `api.example.com`, but neither
  ///   `example.com` nor `a.b.example.com`;
  /// - `*` for every host.
  ///
  /// The values are pins: `sha256/` and the SHA-256 of the key's SubjectPublicKeyInfo in base64 (RFC 7469,
  /// section 2.4). The key of the server's certificate, not that of an authority, must match one of them. If
  /// several names match a host, it may have any of their keys. Give at least two pins, one of them for a key
  /// in reserve.
  ///
  /// Pins apply to the host of each request's URL, also after a redirect, but not to a proxy. If a host has
  /// another key, the request fails with `RequestError(.pinMismatch)`, which is never retried.
  public var pins: [String: [String]] = [:]

  /// Creates a configuration with the defaults: no client certificate, TLS 1.2 or later, and no pins.
  public init() {}
}

/// A version of TLS. A later version is greater.
public enum TLSVersion: String, Sendable, Hashable, Comparable, CustomStringConvertible {
  /// TLS 1.2 (RFC 5246).
  case tls12 = "1.2"
  /// TLS 1.3 (RFC 8446).
  case tls13 = "1.3"

  public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }

  public var description: String { "TLS \(rawValue)" }
}

/// Finds the public key in a certificate.
enum CertificateKey {
  /// Returns the SubjectPublicKeyInfo of a certificate in DER (RFC 5280, section 4.1), with its tag and
  /// length; nil if the data is not a certificate.
  static func info(in certificate: Data) -> Data? {
    guard let whole = Value(certificate[...]), whole.tag == Value.sequence, whole.rest.isEmpty,
      let signed = Value(whole.content), signed.tag == Value.sequence
    else { return nil }
    var rest = signed.content
    if let version = Value(rest), version.tag == 0xA0 { rest = version.rest }
    // Serial number, algorithm, issuer, validity, subject.
    for tag in [Value.integer] + [UInt8](repeating: Value.sequence, count: 4) {
      guard let value = Value(rest), value.tag == tag else { return nil }
      rest = value.rest
    }
    guard let info = Value(rest), info.tag == Value.sequence else { return nil }
    return Data(rest.prefix(rest.count - info.rest.count))
  }

  /// The first value in DER data.
  private struct Value {
    static let integer: UInt8 = 0x02
    static let sequence: UInt8 = 0x30

    let tag: UInt8
    let content: Data
    let rest: Data

    init?(_ bytes: Data) {
      var bytes = bytes
      guard let tag = bytes.popFirst(), let first = bytes.popFirst() else { return nil }
      var length = Int(first)
      if first >= 0x80 {
        // A length has at most 3 bytes, so a value has less than 16 MiB.
        guard 0x81...0x83 ~= first else { return nil }
        length = 0
        for _ in 0..<(first - 0x80) {
          guard let byte = bytes.popFirst() else { return nil }
          length = length << 8 | Int(byte)
        }
      }
      guard length <= bytes.count else { return nil }
      self.tag = tag
      content = bytes.prefix(length)
      rest = bytes.dropFirst(length)
    }
  }
}
