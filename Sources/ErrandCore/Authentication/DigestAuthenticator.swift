#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Digest authentication (RFC 7616) with SHA-256 or MD5 and the quality `auth`. The first request learns the server's
/// challenge; later ones use its nonce, or the one that the server gave since (`nextnonce`).
struct DigestAuthenticator: Authenticator {
  /// The server's challenge, and how often its nonce was used.
  final class Nonce: Sendable {
    /// Nil before the first challenge.
    let challenge: DigestChallenge?
    private let state: Locked<(nonce: String, count: UInt32)>

    init(_ challenge: DigestChallenge?) {
      self.challenge = challenge
      state = Locked((challenge?.nonce ?? "", 0))
    }

    /// Returns the nonce, and the number of this use of it.
    func use() -> (nonce: String, count: UInt32) {
      state.withLock { state in
        state.count &+= 1
        return state
      }
    }

    func replace(by nonce: String) { state.withLock { $0 = (nonce, 0) } }
  }

  let user: String
  let password: String
  /// Makes the client's own nonces.
  var random: @Sendable () -> UInt64 = { .random(in: 0...(.max)) }

  var isRefreshLimited: Bool { false }

  func authenticate(_ request: Request, with nonce: Nonce) -> Request {
    guard let challenge = nonce.challenge, let target = request.digestTarget else { return request }
    let (value, count) = nonce.use()
    let use = DigestUse(
      user: user, password: password, method: request.method.rawValue, target: target, nonce: value,
      count: count,
      clientNonce: random().hexadecimal(16), bodyHash: nil)
    var request = request
    request.fields.set("Authorization", use.credentials(for: challenge), isSecret: true)
    return request
  }

  func isStale(_ nonce: Nonce, _ response: ResponseHead) -> Bool {
    guard response.status == 401, let next = DigestChallenge(response) else { return false }
    // Refused with a nonce of its own that is not stale: the user or the password is wrong.
    return nonce.challenge == nil || next.isStale || next.realm != nonce.challenge?.realm
  }

  func received(_ response: ResponseHead, with nonce: Nonce) {
    guard let info = response.fields["Authentication-Info"],
      let next = Challenge.all(in: ["Digest \(info)"]).first?.parameters["nextnonce"]
    else { return }
    nonce.replace(by: next)
  }

  func refresh(_ nonce: Nonce?, _ refresh: CredentialRefresh) throws -> Nonce {
    Nonce(refresh.response.flatMap(DigestChallenge.init))
  }
}

/// A challenge of the scheme Digest that can be met.
struct DigestChallenge: Sendable, Hashable {
  let realm: String
  let nonce: String
  let opaque: String?
  let hash: DigestHash
  let isSession: Bool
  let isStale: Bool
  /// The quality of protection; nil for RFC 2069, which has none.
  let quality: String?
  /// True if the user's name is sent as a hash.
  let hidesUser: Bool

  /// Returns the best challenge of a response; nil if there is none that can be met.
  init?(_ response: ResponseHead) {
    let all = Challenge.all(in: response.fields.values(of: "WWW-Authenticate")).compactMap(
      DigestChallenge.init)
    guard let best = DigestHash.allCases.lazy.compactMap({ hash in all.first { $0.hash == hash } }).first
    else {
      return nil
    }
    self = best
  }

  init?(_ challenge: Challenge) {
    guard challenge.scheme == "digest", let realm = challenge.parameters["realm"],
      let nonce = challenge.parameters["nonce"]
    else { return nil }
    (self.realm, self.nonce, opaque) = (realm, nonce, challenge.parameters["opaque"])
    let algorithm = challenge.parameters["algorithm"] ?? "MD5"
    isSession = ASCII.hasSuffixIgnoringCase(algorithm, "-sess")
    let name = isSession ? String(algorithm.dropLast(5)) : algorithm
    guard let hash = DigestHash.allCases.first(where: { ASCII.equalIgnoringCase($0.rawValue, name) }) else {
      return nil
    }
    self.hash = hash
    isStale = challenge.parameters["stale"].map { ASCII.equalIgnoringCase($0, "true") } ?? false
    hidesUser = challenge.parameters["userhash"].map { ASCII.equalIgnoringCase($0, "true") } ?? false
    guard let offered = challenge.parameters["qop"] else {
      quality = nil
      return
    }
    let qualities = offered.split(separator: ",").map { ASCII.lowercased(ASCII.trimmed($0)) }
    guard qualities.contains("auth") else { return nil }
    quality = "auth"
  }
}

/// One use of a nonce (RFC 7616, section 3.4).
struct DigestUse {
  let user: String
  let password: String
  let method: String
  let target: String
  let nonce: String
  let count: UInt32
  let clientNonce: String
  let bodyHash: String?

  /// Returns the value of `Authorization`.
  func credentials(for challenge: DigestChallenge) -> String {
    let number = UInt64(count).hexadecimal(8)
    var parts = [
      challenge.hidesUser
        ? "username=\(Self.quoted(challenge.hash("\(user):\(challenge.realm)")))" : userName,
      "realm=\(Self.quoted(challenge.realm))", "nonce=\(Self.quoted(nonce))", "uri=\(Self.quoted(target))",
      "algorithm=\(challenge.hash.rawValue)\(challenge.isSession ? "-sess" : "")",
      "response=\"\(response(to: challenge, number))\"",
    ]
    if let quality = challenge.quality {
      parts += ["qop=\(quality)", "nc=\(number)", "cnonce=\(Self.quoted(clientNonce))"]
    }
    if let opaque = challenge.opaque { parts.append("opaque=\(Self.quoted(opaque))") }
    if challenge.hidesUser { parts.append("userhash=true") }
    return "Digest \(parts.joined(separator: ", "))"
  }

  /// A name beyond ASCII goes in the extended notation (RFC 8187).
  private var userName: String {
    user.utf8.allSatisfy { $0 < 128 }
      ? "username=\(Self.quoted(user))" : "username*=UTF-8''\(PercentEncoding.query(user))"
  }

  private func response(to challenge: DigestChallenge, _ number: String) -> String {
    let hash = challenge.hash
    var first = hash("\(user):\(challenge.realm):\(password)")
    if challenge.isSession { first = hash("\(first):\(nonce):\(clientNonce)") }
    let second = hash("\(method):\(target)\(bodyHash.map { ":\($0)" } ?? "")")
    guard let quality = challenge.quality else { return hash("\(first):\(nonce):\(second)") }
    return hash("\(first):\(nonce):\(number):\(clientNonce):\(quality):\(second)")
  }

  private static func quoted(_ text: String) -> String {
    "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
  }
}

extension Request {
  /// The path and the query, as they are in the request's first line.
  fileprivate var digestTarget: String? {
    URLReference(address.text).map { reference in
      (reference.path.isEmpty ? "/" : reference.path) + (reference.query.map { "?\($0)" } ?? "")
    }
  }
}
