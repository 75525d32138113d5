import ErrandCrypto

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The SHA-256 of a public key's SubjectPublicKeyInfo (RFC 7469, section 2.4). Its description is `sha256/`
/// and the digest in base64.
package struct PublicKeyPin: Sendable, Hashable, CustomStringConvertible {
  private let digest: SHA256Digest

  /// Parses `sha256/BASE64`, or curl's form with two slashes. Returns nil for any other text.
  package init?(_ text: String) {
    // A digest may begin with a slash. Only the length distinguishes it from curl's second slash.
    let encoded = text.utf8.suffix(44)
    guard ["sha256/", "sha256//"].contains(String(text.utf8.dropLast(encoded.count))),
      let bytes = Data(base64Encoded: String(Substring(encoded))), let digest = SHA256Digest(bytes)
    else { return nil }
    self.digest = digest
  }

  /// Creates the pin of the key in a certificate (DER). Returns nil if the data is not a certificate.
  package init?(certificate: Data) {
    guard let info = CertificateKey.info(in: certificate) else { return nil }
    digest = SHA256Digest(hashing: info)
  }

  /// The digest in base64.
  package var base64: String { Data(digest.bytes).base64EncodedString() }

  package var description: String { "sha256/\(base64)" }
}

/// The public keys that hosts may have, as configured. Only this type compares the names of hosts.
package struct PublicKeyPins: Sendable {
  private let every: Set<PublicKeyPin>
  private let exact: [String: Set<PublicKeyPin>]
  /// The keys of names with a wildcard, by the name after the first dot.
  private let wildcards: [String: Set<PublicKeyPin>]

  package var isEmpty: Bool { every.isEmpty && exact.isEmpty && wildcards.isEmpty }

  /// Creates pins that allow every key of every host.
  package init() { (every, exact, wildcards) = ([], [:], [:]) }

  /// Parses pins, by the names of hosts.
  /// - Throws: `TLSProblem` for a name that matches no host, and for an invalid pin. Either would leave a
  ///   host without its pin.
  package init(_ pins: [String: [String]]) throws(TLSProblem) {
    var (every, exact, wildcards) = (
      Set<PublicKeyPin>(), [String: Set<PublicKeyPin>](), [String: Set<PublicKeyPin>]()
    )
    for (name, texts) in pins.sorted(by: { $0.key < $1.key }) {
      let keys = try Self.keys(texts, of: name)
      if name == "*" {
        every.formUnion(keys)
      } else if name.hasPrefix("*.") {
        wildcards[try Self.host(String(name.dropFirst(2)), of: name), default: []].formUnion(keys)
      } else {
        exact[try Self.host(name, of: name), default: []].formUnion(keys)
      }
    }
    (self.every, self.exact, self.wildcards) = (every, exact, wildcards)
  }

  /// Returns the keys that a host may have; empty if it may have any key.
  /// - Parameter host: The host that the connection is made to, in ASCII and without percent-encoding.
  package func keys(of host: String) -> Set<PublicKeyPin> {
    guard !exact.isEmpty || !wildcards.isEmpty else { return every }
    let host = Self.canonical(host)
    var keys = every.union(exact[host] ?? [])
    if let dot = host.firstIndex(of: "."), dot > host.startIndex {
      keys.formUnion(wildcards[String(host[host.index(after: dot)...])] ?? [])
    }
    return keys
  }

  /// Returns a host in lower case, without trailing dots and without the brackets of an IPv6 address.
  private static func canonical(_ host: String) -> String {
    var host = ASCII.lowercased(host)
    while host.hasSuffix(".") { host.removeLast() }
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    return host
  }

  private static func keys(_ texts: [String], of name: String) throws(TLSProblem) -> [PublicKeyPin] {
    guard !texts.isEmpty else {
      throw TLSProblem(
        "\(shown(name)) has an empty list of pins, which no key matches; "
          + "add a pin, or remove the name")
    }
    var keys: [PublicKeyPin] = []
    for text in texts {
      guard let key = PublicKeyPin(text) else {
        throw TLSProblem(
          "\(text.prefix(100).debugDescription), a pin for \(shown(name)), is not sha256/ and 44 characters of base64; "
            + "create the base64 with: \(Self.command)")
      }
      keys.append(key)
    }
    return keys
  }

  private static func host(_ text: String, of name: String) throws(TLSProblem) -> String {
    let isInternational = text.utf8.contains { $0 >= 0x80 }
    let host = canonical(isInternational ? HostName.canonical(text) ?? text : text)
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    let isHost =
      isNumeric(labels.last ?? "") || host.contains(":")
      ? name == text && IPAddress.isCanonical(host)
      : labels.allSatisfy { label in
        !label.isEmpty && label.utf8.allSatisfy { 48...57 ~= $0 || 97...122 ~= $0 || $0 == 45 || $0 == 95 }
      }
    guard isHost else {
      throw TLSProblem(
        "\(shown(name)) in the pins is not a host: write api.example.com, *.example.com or *, without a scheme, a port or "
          + "a path")
    }
    return host
  }

  /// Returns true if a host with this last label is an IPv4 address, in any notation.
  private static func isNumeric(_ label: Substring) -> Bool {
    let digits = label.hasPrefix("0x") ? label.dropFirst(2) : label
    let isHexadecimal = digits.count < label.count
    return !label.isEmpty && digits.utf8.allSatisfy { 48...57 ~= $0 || (isHexadecimal && 97...102 ~= $0) }
  }

  private static func shown(_ name: String) -> String { name.prefix(100).debugDescription }

  private static let command =
    "openssl x509 -in cert.pem -noout -pubkey | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64"
}

extension Set<PublicKeyPin> {
  /// Returns the message for a host that has none of these keys.
  package func mismatch(at host: String, seen: PublicKeyPin?) -> String {
    let expected = count == 1 ? "not the one that is pinned" : "none of the \(count) that are pinned"
    guard let seen else { return "the public key of \(host) is \(expected) for it" }
    return "the public key of \(host) is \(seen), \(expected) for it"
  }
}
