import ErrandTesting
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

@Suite struct ChallengeTests {
  @Test(arguments: [
    (#"Basic realm="a, b", Digest realm="c", nonce="d""#, ["basic a, b", "digest c"]),
    (#"Bearer, Negotiate YWJj==, Basic realm=x"#, ["bearer", "negotiate YWJj==", "basic x"]),
    (#"Digest realm="q\"uote\\d", nonce = "n" , qop=auth"#, [#"digest q"uote\d"#]), (", ,", []), ("", []),
    (#"Basic realm="open"#, []), (#"Basic realm="a", realm="b""#, []), ("Basic realm=", ["basic realm="]),
    (
      #"Newauth realm="apps", type=1, title="Login", Basic realm="simple""#, ["newauth apps", "basic simple"]
    ),
  ])
  func `challenges are parsed in every notation`(value: String, expected: [String]) {
    let shown = Challenge.all(in: [value]).map { challenge in
      [challenge.scheme, challenge.token68 ?? challenge.parameters["realm"]].compactMap { $0 }.joined(
        separator: " ")
    }
    #expect(shown == expected)
  }

  /// URLSession joins the lines of a field.
  @Test func `challenges are the same whether they are in several lines or in one joined line`() {
    let lines = [
      "Negotiate", "NTLM TlRMTVNTUAABAAAA==", #"Basic realm="a, Digest b", charset="UTF-8""#, "Bearer",
      #"Digest realm="q\"u,o", nonce="n", qop="auth,auth-int", algorithm=SHA-256"#, "Custom a=1 , b = 2",
      #"Bearer realm=x, error="invalid_token""#, "Negotiate YII+/w==", ",", "",
    ]
    var random = SeededRandom(seed: 12)
    for _ in 0..<2000 {
      let some = (0..<Int.random(in: 1...6, using: &random)).map { _ in
        lines.randomElement(using: &random) ?? ""
      }
      for separator in [", ", ",", " , "] {
        #expect(Challenge.all(in: [some.joined(separator: separator)]) == Challenge.all(in: some), "\(some)")
      }
    }
  }

  @Test func `parsing an invalid challenge ends`() {
    var random = SeededRandom(seed: 1)
    let letters = Array(#"ab,= "\;Digest realm=nonce/+~é"#.utf8) + [0, 13, 10, 9, 255]
    for _ in 0..<5000 {
      let junk = (0..<Int.random(in: 0..<60, using: &random)).map { _ in
        letters.randomElement(using: &random) ?? 0
      }
      _ = Challenge.all(in: [String(decoding: junk, as: UTF8.self)])
    }
  }

  @Test(arguments: [
    [
      #"Negotiate, Basic realm="a", charset="UTF-8", Digest realm="a", nonce="x", algorithm=MD5, Digest realm="a","#
        + #" nonce="y", qop="auth, auth-int", algorithm=sha-256, Digest realm="a", nonce="z", algorithm=SHA-512-256"#
    ],
    [
      #"Digest realm="a", nonce="x", qop=auth"#, #"Basic realm="Digest realm=\"a\", nonce=\"n\"""#,
      #"Digest realm="a", nonce="y", algorithm="SHA-256", qop=auth-int, Bearer"#,
    ],
    [#"Digest realm="a", nonce="x", nonce="y""#, #"DIGEST NONCE=y,REALM=a,ALGORITHM=Sha-256,QOP="AUTH""#],
  ])
  func `the best of several supported challenges is selected`(lines: [String]) throws {
    var fields = HTTPFields()
    for line in lines { fields.append("WWW-Authenticate", line) }
    let joined: HTTPFields = ["WWW-Authenticate": lines.joined(separator: ", ")]
    // A transport may join lines. A line that cannot be parsed then hides those after it.
    for fields in lines[0].contains("nonce=\"x\", nonce") ? [fields] : [fields, joined] {
      let challenge = try #require(DigestChallenge(ResponseHead(status: 401, fields: fields)))
      #expect(challenge.nonce == "y" && challenge.hash == .sha256 && challenge.realm == "a")
    }
  }
}
