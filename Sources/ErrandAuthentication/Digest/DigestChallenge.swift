import ErrandCore

/// A challenge of the scheme Digest that Errand can meet (RFC 7616, section 3.3).
struct DigestChallenge: Sendable, Hashable {
  /// A quality of protection.
  enum Quality: String, Sendable {
    /// The response covers the method and the target.
    case auth
    /// The response covers the body, too.
    case authInt = "auth-int"
  }

  let realm: String
  let nonce: String
  let opaque: String?
  let hash: DigestHash
  let isSession: Bool
  let isStale: Bool
  /// The offered qualities; nil for RFC 2069, which has none.
  let qualities: Set<Quality>?
  /// True if the user's name is sent as a hash.
  let hidesUser: Bool
  /// True if the server supports the extended notation of names.
  let isUTF8: Bool

  /// Creates the best challenge of a response; nil if none can be met.
  init?(_ response: ResponseHead) {
    let all = Challenge.all(in: response.fields.values(of: "WWW-Authenticate")).compactMap(
      DigestChallenge.init)
    let best = DigestHash.allCases.lazy.compactMap { hash in all.first { $0.hash == hash } }.first
    guard let best else { return nil }
    self = best
  }

  init?(_ challenge: Challenge) {
    let parameters = challenge.parameters
    guard challenge.scheme == "digest", let realm = parameters["realm"], let nonce = parameters["nonce"]
    else { return nil }
    (self.realm, self.nonce, opaque) = (realm, nonce, parameters["opaque"])
    // Control characters would have to be sent back, and each later request would fail because of them.
    guard !ASCII.hasControl(realm), !ASCII.hasControl(nonce), !ASCII.hasControl(opaque ?? "") else {
      return nil
    }
    let algorithm = parameters["algorithm"] ?? DigestHash.md5.rawValue
    isSession = ASCII.hasSuffixIgnoringCase(algorithm, "-sess")
    let name = isSession ? String(algorithm.dropLast(5)) : algorithm
    guard let hash = DigestHash.allCases.first(where: { ASCII.equalIgnoringCase($0.rawValue, name) }) else {
      return nil
    }
    self.hash = hash
    let holds = { (name: String, value: String) in
      parameters[name].map { ASCII.equalIgnoringCase($0, value) } ?? false
    }
    isStale = holds("stale", "true")
    hidesUser = holds("userhash", "true")
    isUTF8 = holds("charset", "UTF-8")
    qualities = parameters["qop"].map { offered in
      Set(offered.split(separator: ",").compactMap { Quality(rawValue: ASCII.lowercased(ASCII.trimmed($0))) })
    }
    if qualities?.isEmpty == true { return nil }
  }

  /// Returns the quality to use; nil if the server offers none.
  /// - Parameters:
  ///   - prefersBody: True to cover the body if the server offers that.
  ///   - canCoverBody: False if the body can be read only once.
  func quality(prefersBody: Bool, canCoverBody: Bool) -> Quality? {
    guard let qualities else { return nil }
    let coversBody =
      qualities.contains(.authInt) && (prefersBody && canCoverBody || !qualities.contains(.auth))
    return coversBody ? .authInt : .auth
  }
}
