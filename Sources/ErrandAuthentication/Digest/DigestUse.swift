import ErrandCore
import ErrandCrypto

/// One use of a nonce (RFC 7616, section 3.4).
struct DigestUse {
  let user: String
  let password: String
  let method: String
  let target: String
  let use: DigestNonce.Use
  let quality: DigestChallenge.Quality?
  /// The hash of the body; only for the quality `auth-int`.
  var bodyHash = ""

  /// Returns the value of `Authorization`.
  func credentials(for challenge: DigestChallenge) -> String {
    let number = UInt64(use.count).hexadecimal(8)
    var parts = [
      userName(challenge), "realm=\(Self.quoted(challenge.realm))", "nonce=\(Self.quoted(use.nonce))",
      "uri=\(Self.quoted(target))",
      "algorithm=\(challenge.hash.rawValue)\(challenge.isSession ? "-sess" : "")",
      "response=\"\(response(to: challenge, number))\"",
    ]
    if let quality {
      parts += ["qop=\(quality.rawValue)", "nc=\(number)", "cnonce=\(Self.quoted(use.clientNonce))"]
    }
    if let opaque = challenge.opaque { parts.append("opaque=\(Self.quoted(opaque))") }
    if challenge.hidesUser { parts.append("userhash=true") }
    return "Digest \(parts.joined(separator: ", "))"
  }

  private func userName(_ challenge: DigestChallenge) -> String {
    if challenge.hidesUser { return "username=\(Self.quoted(challenge.hash("\(user):\(challenge.realm)")))" }
    // The extended notation (RFC 8187) can express every character. Servers from before RFC 7616 name no
    // charset, do not know the notation, and take UTF-8 between quotes.
    let isExtended = challenge.isUTF8 && !user.utf8.allSatisfy { $0 < 128 } || ASCII.hasControl(user)
    return isExtended
      ? "username*=UTF-8''\(PercentEncoding.query(user))" : "username=\(Self.quoted(user))"
  }

  private func response(to challenge: DigestChallenge, _ number: String) -> String {
    let hash = challenge.hash
    var first = hash("\(user):\(challenge.realm):\(password)")
    if challenge.isSession { first = hash("\(first):\(challenge.nonce):\(use.clientNonce)") }
    let second = hash("\(method):\(target)\(quality == .authInt ? ":\(bodyHash)" : "")")
    guard let quality else { return hash("\(first):\(use.nonce):\(second)") }
    return hash("\(first):\(use.nonce):\(number):\(use.clientNonce):\(quality.rawValue):\(second)")
  }

  private static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = [UInt8(ascii: "\"")]
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
      bytes.append(byte)
    }
    bytes.append(UInt8(ascii: "\""))
    return String(decoding: bytes, as: UTF8.self)
  }
}
