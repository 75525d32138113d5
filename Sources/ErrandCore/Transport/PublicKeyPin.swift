import ErrandHashing

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The SHA-256 of a public key's SubjectPublicKeyInfo (RFC 7469, section 2.4); its description is `sha256/` and base64.
package struct PublicKeyPin: Sendable, Hashable, CustomStringConvertible {
  private let digest: SHA256Digest

  /// Parses `sha256/BASE64`; curl's form, with two slashes, may be used as well. Returns nil for any other text.
  package init?(_ text: String) {
    // A digest may begin with a slash: only the length tells it from curl's second one.
    let encoded = text.utf8.suffix(44)
    guard ["sha256/", "sha256//"].contains(String(text.utf8.dropLast(encoded.count))),
      let bytes = Data(base64Encoded: String(Substring(encoded))), let digest = SHA256Digest(bytes)
    else { return nil }
    self.digest = digest
  }

  /// Makes the pin of the key in a certificate (DER); nil if it is no certificate.
  package init?(certificate: Data) {
    guard let info = CertificateKey.info(in: certificate) else { return nil }
    digest = SHA256Digest(hashing: info)
  }

  /// The digest in base64.
  package var base64: String { Data(digest.bytes).base64EncodedString() }

  package var description: String { "sha256/\(base64)" }
}

/// The public keys that hosts may have, as configured: names are compared here and nowhere else.
package struct PublicKeyPins: Sendable {
  private let every: Set<PublicKeyPin>
  private let exact: [String: Set<PublicKeyPin>]
  /// By the name behind the first dot.
  private let wildcards: [String: Set<PublicKeyPin>]

  package var isEmpty: Bool { every.isEmpty && exact.isEmpty && wildcards.isEmpty }

  /// Pins nothing.
  package init() { (every, exact, wildcards) = ([], [:], [:]) }

  /// - Throws: For a name that matches no host and for a pin that is none: either would let a host go unpinned.
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

  /// Returns the keys that a host may have; empty if it may have any.
  /// - Parameter host: The host as the connection is made to it: in ASCII, with no percent-encoding.
  package func keys(of host: String) -> Set<PublicKeyPin> {
    guard !exact.isEmpty || !wildcards.isEmpty else { return every }
    let host = Self.canonical(host)
    var keys = every.union(exact[host] ?? [])
    if let dot = host.firstIndex(of: "."), dot > host.startIndex {
      keys.formUnion(wildcards[String(host[host.index(after: dot)...])] ?? [])
    }
    return keys
  }

  /// Returns a host in lower case, without the root's dot and without an IPv6 address's brackets.
  private static func canonical(_ host: String) -> String {
    var host = ASCII.lowercased(host)
    while host.hasSuffix(".") { host.removeLast() }
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    return host
  }

  private static func keys(_ texts: [String], of name: String) throws(TLSProblem) -> [PublicKeyPin] {
    guard !texts.isEmpty else {
      throw TLSProblem("\(shown(name)) has an empty list of pins, which no key matches")
    }
    var keys: [PublicKeyPin] = []
    for text in texts {
      guard let key = PublicKeyPin(text) else {
        throw TLSProblem(
          "\(text.prefix(100).debugDescription), a pin for \(shown(name)), is not sha256/ and 44 characters of base64; "
            + "\(Self.command) makes one")
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

  /// Returns true for the last label of what is an IPv4 address, in any of its notations.
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
