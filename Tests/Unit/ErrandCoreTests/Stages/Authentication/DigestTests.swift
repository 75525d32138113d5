import ErrandTesting
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct DigestTests {
  private static func challenge(_ value: String) throws -> DigestChallenge {
    try #require(Challenge.all(in: [value]).compactMap(DigestChallenge.init).first)
  }

  /// The examples of RFC 7616, section 3.9.1.
  @Test(arguments: [
    ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
    ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
  ])
  func `the examples of RFC 7616 produce its responses`(algorithm: String, response: String) throws {
    let challenge = try Self.challenge(
      """
      Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), \
      nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
      """)
    let use = DigestUse(
      user: "Mufasa", password: "Circle of Life", method: "GET", target: "/dir/index.html",
      use: DigestNonce.Use(
        nonce: challenge.nonce, count: 1, clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"),
      quality: challenge.quality(prefersBody: false, canCoverBody: true))
    let credentials = use.credentials(for: challenge)
    #expect(credentials.contains("response=\"\(response)\""))
    #expect(credentials.contains("nc=00000001") && credentials.contains("qop=auth,"))
    #expect(credentials.contains("opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\""))
  }

  private static func credentials(
    _ parameters: String, method: String = "GET", target: String = "/p", count: UInt32 = 1,
    _ quality: DigestChallenge.Quality?, bodyHash: String = ""
  ) throws -> [String: String] {
    let challenge = try challenge(#"Digest realm="api\\\"@x", nonce=n1, \#(parameters)"#)
    let use = DigestUse(
      user: "J\"\u{E4}:s\n", password: "P\u{E4}\"ss:\r\nw\u{F6}rd", method: method, target: target,
      use: DigestNonce.Use(nonce: "n1", count: count, clientNonce: "c1"), quality: quality, bodyHash: bodyHash
    )
    let text = use.credentials(for: challenge)
    #expect(!text.contains("ss:") && !ASCII.hasControl(text))
    let found = try #require(Challenge.all(in: [text]).first)
    #expect(
      found.parameters["realm"] == #"api\"@x"#
        && found.parameters["algorithm"] == challenge.hash.rawValue + (challenge.isSession ? "-sess" : ""))
    return found.parameters
  }

  /// The responses were computed with Python's hashlib, by the formulas of RFC 7616, section 3.4.
  @Test(arguments: [
    (
      "MD5", "b85a5c8ce2471c850e5dbe151e61c8a5", "72f815d39ccaf1bc58e56ae02020faa3",
      "7377dee1f7f11a2e2aa42423c4e22fda", "98fffc97a903385ef5f51b30a1c88e21"
    ),
    (
      "SHA-256", "88a3e98564a76bd2f27e258e64b1d3546dabe27f6656b76a374688a279d212f7",
      "c140f101ca60ddff8f87bc26d3dafb870507c044b0f6fc24c6839b7616727535",
      "48d28d2340b995db1789abd7d80fcee1b78d37bb6ac56a66a90636868c5e54f8",
      "7bf871765149e0eb6b625f3a09a08aa03d9e4ebfdf12857cb4859372e0843440"
    ),
  ])
  func `names and passwords may contain every character`(
    algorithm: String, covered: String, session: String, old: String, user: String
  ) throws {
    let hash = try #require(DigestHash(rawValue: algorithm))
    let withBody = try Self.credentials(
      #"qop="auth-int", algorithm=\#(algorithm)"#, method: "POST", target: "/p?q=1", .authInt,
      bodyHash: hash("hello body"))
    #expect(withBody["response"] == covered && withBody["qop"] == "auth-int")
    #expect(withBody["username*"] == "UTF-8''J%22%C3%A4%3As%0A" && withBody["username"] == nil)
    let inSession = try Self.credentials("qop=auth, algorithm=\(algorithm)-SESS", count: 2, .auth)
    #expect(inSession["response"] == session && inSession["nc"] == "00000002")
    let before = try Self.credentials("algorithm=\(algorithm), userhash=true", nil)
    #expect(before["response"] == old && before["qop"] == nil && before["nc"] == nil)
    #expect(before["username"] == user && before["userhash"] == "true")
  }

  @Test(arguments: [
    ("me", "", #"username="me""#), (#"a"b\c"#, "", #"username="a\"b\\c""#),
    ("\u{E9}", "", "username=\"\u{E9}\""),
    ("\u{E9} '*", ", charset=utf-8", "username*=UTF-8''%C3%A9%20%27%2A"),
    ("me", ", charset=UTF-8", #"username="me""#),
  ])
  func `a name is sent in the notation that the server supports`(name: String, more: String, expected: String)
    throws
  {
    let challenge = try Self.challenge("Digest realm=r, nonce=n\(more)")
    let use = DigestUse(
      user: name, password: "p", method: "GET", target: "/",
      use: DigestNonce.Use(nonce: "n", count: 1, clientNonce: "c"), quality: nil)
    #expect(use.credentials(for: challenge).hasPrefix("Digest \(expected), realm="))
  }

  @Test(arguments: [
    ("auth", false, true, "auth"), ("auth", true, true, "auth"), ("auth-int", false, false, "auth-int"),
    ("auth, auth-int", false, true, "auth"), ("auth-int,auth", true, true, "auth-int"),
    ("auth-int,x,auth", true, false, "auth"),
  ])
  func `the body is covered if the server requires it, or if the app asks for it and the server offers it`(
    offered: String, prefersBody: Bool, canCoverBody: Bool, expected: String
  ) throws {
    let challenge = try Self.challenge(#"Digest realm=r, nonce=n, qop="\#(offered)""#)
    let quality = challenge.quality(prefersBody: prefersBody, canCoverBody: canCoverBody)
    #expect(quality?.rawValue == expected)
  }
}
