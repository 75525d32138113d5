import ErrandTesting
import Testing

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

  /// The examples of RFC 7616, section 3.9.
  @Test(arguments: [
    ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
    ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
  ])
  func `the standard's examples have the standard's responses`(algorithm: String, response: String) throws {
    let challenge = try Self.challenge(
      """
      Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), \
      nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
      """)
    let use = DigestUse(
      user: "Mufasa", password: "Circle of Life", method: "GET", target: "/dir/index.html",
      nonce: challenge.nonce, count: 1, clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
      bodyHash: nil)
    let credentials = use.credentials(for: challenge)
    #expect(credentials.contains("response=\"\(response)\""))
    #expect(credentials.contains("nc=00000001") && credentials.contains("qop=auth,"))
    #expect(credentials.contains("opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\""))
  }

  @Test(arguments: [
    (#"Basic realm="a, b", Digest realm="c", nonce="d""#, ["basic a, b", "digest c"]),
    (#"Bearer, Negotiate YWJj==, Basic realm=x"#, ["bearer", "negotiate YWJj==", "basic x"]),
    (#"Digest realm="q\"uote\\d", nonce = "n" , qop=auth"#, [#"digest q"uote\d"#]), (", ,", []), ("", []),
    (#"Basic realm="open"#, []), (#"Basic realm="a", realm="b""#, []), ("Basic realm=", ["basic realm="]),
    (
      #"Newauth realm="apps", type=1, title="Login", Basic realm="simple""#, ["newauth apps", "basic simple"]
    ),
  ])
  func `challenges are told apart, however they are written`(value: String, expected: [String]) {
    let shown = Challenge.all(in: [value]).map { challenge in
      [challenge.scheme, challenge.token68 ?? challenge.parameters["realm"]].compactMap { $0 }.joined(
        separator: " ")
    }
    #expect(shown == expected)
  }

  /// URLSession joins the lines of a field.
  @Test func `challenges are the same from several lines and from one that joins them`() {
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

  @Test func `junk in the place of a challenge ends`() {
    var random = SeededRandom(seed: 1)
    let letters = Array(#"ab,= "\;Digest realm=nonce/+~é"#.utf8) + [0, 13, 10, 9, 255]
    for _ in 0..<5000 {
      let junk = (0..<Int.random(in: 0..<60, using: &random)).map { _ in
        letters.randomElement(using: &random) ?? 0
      }
      _ = Challenge.all(in: [String(decoding: junk, as: UTF8.self)])
    }
  }

  private static func stage(_ respond: @escaping @Sendable (StubRequest) -> StubStep) -> Stage {
    Stage.configured { configuration in
      configuration.baseURL = URL(string: "http://a.test/")
      configuration.authentication = .digest(user: "me", password: "word")
    }.responding(respond)
  }

  private static func digest(_ request: StubRequest) -> [String: String] {
    Challenge.all(in: request.fields.values(of: "Authorization")).first?.parameters ?? [:]
  }

  @Test func `a nonce is used until the server gives another, and counted`() async throws {
    let stage = Self.stage { request in
      let digest = Self.digest(request)
      let nonce = request.index < 4 ? "one" : "two"
      guard digest["nonce"] == nonce else {
        let stale = digest.isEmpty ? "" : ", stale=true"
        return .response(
          status: 401,
          fields: ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"\(nonce)\", qop=\"auth\"\(stale)"])
      }
      return request.index == 2
        ? .response(fields: ["Authentication-Info": "nextnonce=\"one\", qop=auth"]) : .response()
    }
    for _ in 0..<4 { try await stage.client.send(.get("x?y=z")) }
    let digests = stage.stub.requests.map(Self.digest)
    #expect(digests.map { $0["nonce"] } == [nil, "one", "one", "one", "one", "two"])
    #expect(digests.map { $0["nc"] } == [nil, "00000001", "00000002", "00000001", "00000002", "00000001"])
    #expect(digests.last?["uri"] == "/x?y=z")
    #expect(!stage.stub.requests.contains { "\($0.fields)".contains("word") })
  }

  @Test func `a wrong password is the server's 401, however often it is sent`() async throws {
    let stage = Self.stage { request in
      .response(
        status: 401,
        fields: ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"\(request.index)\", qop=\"auth\""])
    }
    for _ in 0..<10 {
      let error = await #expect(throws: RequestError.self) { try await stage.client.send(.get("x")) }
      #expect(error?.status == 401)
    }
    #expect(stage.stub.requests.count == 11)
  }

  @Test(arguments: [
    "Basic realm=\"r\"", "Digest realm=\"r\"", "Digest realm=\"r\", nonce=\"n\", algorithm=SHA-9",
    "Digest realm=\"r\", nonce=\"n\", qop=\"auth-int\"",
  ])
  func `a challenge that cannot be met is the response`(value: String) async throws {
    let stage = Self.stage { _ in .response(status: 401, fields: ["WWW-Authenticate": value]) }
    let error = await #expect(throws: RequestError.self) { try await stage.client.send(.get("x")) }
    #expect(error?.status == 401)
    #expect(stage.stub.requests.count == 1)
  }
}
