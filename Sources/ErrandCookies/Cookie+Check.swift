import ErrandCore

/// The reason why a cookie cannot be set, as a sentence that says what to do. It does not show the value.
public struct CookieError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The cookie's name and the problem, as a sentence that says what to do.
  public let description: String

  init(_ cookie: Cookie, _ problem: String) {
    description = "the cookie \(cookie.shownName) cannot be set: \(problem)"
  }
}

extension Cookie {
  /// The maximum number of octets of the name and the value together (section 5.6, step 5).
  static let longestPair = 4096
  /// The maximum number of octets of an attribute's value (section 5.6, step 6 of the attributes).
  static let longestAttribute = 1024
  /// The maximum number of octets of a path. An attribute's path is shorter, so a longer one comes from a
  /// request.
  static let longestPath = 4096
  /// The maximum number of octets of a host, which is that of a name in the DNS.
  static let longestDomain = 255

  /// The reason why no store keeps the cookie, or nil. Cookies from servers, programs and files are all
  /// checked here, so each cookie that a store sends is one pair of a `Cookie` field.
  var problem: String? { problemOfPair ?? problemOfScope ?? problemOfPrefix }

  private var problemOfPair: String? {
    if name.isEmpty, value.isEmpty { return "it has neither a name nor a value; give it one of them" }
    if ASCII.hasControl(name) || ASCII.hasControl(value) {
      return "its name or its value has a control character; encode it"
    }
    if name.utf8.contains(where: { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "=") }) {
      return "its name has a ';' or a '='; encode it"
    }
    if value.utf8.contains(UInt8(ascii: ";")) { return "its value has a ';'; encode it" }
    if ASCII.isPadded(name) || ASCII.isPadded(value) {
      return "its name or its value begins or ends with a space or a tab; encode it"
    }
    guard name.utf8.count + value.utf8.count <= Self.longestPair else {
      return "its name and its value have more than \(Self.longestPair) bytes; make them shorter"
    }
    return nil
  }

  private var problemOfScope: String? {
    guard 1...Self.longestDomain ~= domain.utf8.count, domain.utf8.first != UInt8(ascii: "."),
      domain.utf8.allSatisfy(Self.isHostByte)
    else {
      return "its domain is not a host in lower case, such as example.com"
    }
    guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count <= Self.longestPath, !ASCII.hasControl(path)
    else {
      return "its path does not begin with '/', has a control character, or is too long"
    }
    if sameSite == .noRestriction, !isSecure {
      return "it has SameSite=None and is not secure; make it secure"
    }
    return nil
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    ASCII.lowered(byte) == byte
      && (URLBytes.isUnreserved(byte) || URLBytes.isSubDelimiter(byte) || byte == UInt8(ascii: ":")
        || byte == UInt8(ascii: "%"))
  }

  private var problemOfPrefix: String? {
    if name.isEmpty {
      // Sent without a name, the value would be read as a name with a prefix (section 5.7, step 22).
      return value.hasPrefixIgnoringCase("__Secure-") || value.hasPrefixIgnoringCase("__Host-")
        ? "its value has a prefix that only names may have" : nil
    }
    if name.hasPrefixIgnoringCase("__Secure-"), !isSecure {
      return "its name begins with __Secure- and it is not secure; make it secure"
    }
    if isForOneHost, !(isSecure && isHostOnly && ASCII.areSame(path, "/")) {
      return "its name begins with __Host-; make it secure and host-only, with the path /"
    }
    return nil
  }

  /// True for a name with the prefix `__Host-`.
  var isForOneHost: Bool { name.hasPrefixIgnoringCase("__Host-") }
}

extension String {
  fileprivate func hasPrefixIgnoringCase(_ prefix: String) -> Bool {
    utf8.count >= prefix.utf8.count
      && zip(utf8, prefix.utf8).allSatisfy { ASCII.lowered($0) == ASCII.lowered($1) }
  }
}
