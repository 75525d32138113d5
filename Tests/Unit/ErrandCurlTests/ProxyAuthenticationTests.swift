#if os(Linux)
  import ErrandCrypto
  import ErrandAuthentication
  import ErrandCore
  import ErrandCurl
  import Foundation
  import Testing

  @testable import ErrandTesting

  @Suite("Proxies that require a user and a password", .timeLimit(.minutes(1)))
  struct ProxyAuthenticationTests {
    private static let realm = "The proxy"

    private func client(_ proxy: String, _ credential: ProxyCredential?, authorities: String? = nil) -> Client
    {
      var curl = CurlConfiguration()
      curl.proxy = .url(proxy)
      curl.proxyCredential = credential
      curl.certificateAuthorityFile = authorities
      return Client(transport: CurlTransport(configuration: curl))
    }

    private func failure(_ client: Client, _ request: Request) async -> RequestError? {
      await #expect(throws: RequestError.self) { try await client.send(request) }
    }

    // MARK: Basic

    @Test func `Basic credentials are sent to the proxy with every request`() async throws {
      let proxy = try RawProxy { _ in .response("200 OK", body: "by proxy") }
      defer { proxy.stop() }
      let client = client("http://127.0.0.1:\(proxy.port)", .basic(user: "ann", password: "pä:ss"))
      for _ in 0..<2 { #expect(try await client.send(.get("http://a.invalid/x")).text == "by proxy") }
      let expected = "Basic \(Data("ann:pä:ss".utf8).base64EncodedString())"
      #expect(proxy.asked.map { $0.field("Proxy-Authorization") } == [expected, expected])
      #expect(proxy.asked.allSatisfy { $0.field("Authorization") == nil })
    }

    @Test func `a tunnel is requested with Basic, and the server behind it is not sent the credential`()
      async throws
    {
      let server = try MockServer()
      server.otherwise { _ in .response(body: "behind") }
      let nginx = try await Nginx()
      let relay = try await TLSRelay(to: server.port, "good", of: nginx.certificates)
      let target = relay.port
      let expected = "Basic \(Data("ann:s3cret".utf8).base64EncodedString())"
      let proxy = try RawProxy {
        $0.field("Proxy-Authorization") == expected
          ? .tunnel(target) : .response("407 No", ["Proxy-Authenticate: Basic realm=\"p\""])
      }
      defer { proxy.stop() }
      let client = client(
        "http://127.0.0.1:\(proxy.port)", .basic(user: "ann", password: "s3cret"),
        authorities: nginx.certificates.authority)
      #expect(try await client.send(.post("https://localhost:\(target)/x", .text("b"))).text == "behind")
      #expect(proxy.asked.map(\.method) == ["CONNECT"])
      #expect(server.requests.count == 1)
      #expect(server.requests[0].fields["Proxy-Authorization"] == nil)
      #expect(server.requests[0].fields["Authorization"] == nil)
    }

    @Test func `an https proxy is sent the credential, too`() async throws {
      let nginx = try await Nginx()
      let expected = "Basic \(Data("ann:s3cret".utf8).base64EncodedString())"
      let target = nginx.port("good")
      let proxy = try RawProxy {
        $0.field("Proxy-Authorization") == expected ? .tunnel(target) : .response("407 No")
      }
      defer { proxy.stop() }
      let relay = try await TLSRelay(to: proxy.port, "good", of: nginx.certificates)
      let client = client(
        "https://localhost:\(relay.port)", .basic(user: "ann", password: "s3cret"),
        authorities: nginx.certificates.authority)
      #expect(try await client.send(.get(nginx.url("good"))).text == "hello")
    }

    @Test func `a server without a proxy is not sent the credential`() async throws {
      let server = try MockServer()
      server.otherwise { _ in .response(body: "directly") }
      var curl = CurlConfiguration()
      curl.proxy = .none
      curl.proxyCredential = .basic(user: "ann", password: "s3cret")
      let client = Client(transport: CurlTransport(configuration: curl))
      #expect(try await client.send(.get(server.url("/"))).text == "directly")
      #expect(server.requests[0].fields["Proxy-Authorization"] == nil)
      #expect(server.requests[0].fields["Authorization"] == nil)
    }

    // MARK: 407

    @Test(arguments: [false, true], [nil, ProxyCredential.basic(user: "ann", password: "wr0ng")])
    func `407 is an error about the proxy, and is not retried`(isTunnel: Bool, _ credential: ProxyCredential?)
      async throws
    {
      let proxy = try RawProxy { _ in
        .response("407 No", ["Proxy-Authenticate: Basic realm=\"ann wr0ng\""], body: "who are you, ann?")
      }
      defer { proxy.stop() }
      let client = client("http://127.0.0.1:\(proxy.port)", credential)
      let url = isTunnel ? "https://a.invalid/" : "http://a.invalid/"
      for request in [
        Request.get(url), .get(url).acceptingAnyStatus(), Request(.head, url), .post(url, .text("x")),
      ] {
        let error = await failure(client, request)
        #expect(error?.code == .proxyAuthenticationFailed)
        #expect(error?.reachedServer == false)
        #expect(error?.attempt == 1)
        let said = "\(error.map { "\($0) \($0.underlying.map { "\($0)" } ?? "")" } ?? "")"
        #expect(said.contains("407") && !said.contains("wr0ng") && !said.contains("ann"), "\(said)")
      }
      #expect(proxy.asked.count == 4)
    }

    @Test func `a server's own 407 within a tunnel, or without a proxy, is its response`() async throws {
      let server = try MockServer()
      server.otherwise { _ in .response(status: 407, body: "mine") }
      let response = try await Client(transport: CurlTransport()).send(
        .get(server.url("/")).acceptingAnyStatus())
      #expect(response.status == 407 && response.text == "mine")
      let nginx = try await Nginx()
      let relay = try await TLSRelay(to: server.port, "good", of: nginx.certificates)
      let target = relay.port
      let proxy = try RawProxy { _ in .tunnel(target) }
      defer { proxy.stop() }
      let client = client(
        "http://127.0.0.1:\(proxy.port)", nil, authorities: nginx.certificates.authority)
      let tunnelled = try await client.send(.get("https://localhost:\(target)/").acceptingAnyStatus())
      #expect(tunnelled.status == 407 && tunnelled.text == "mine")
    }

    @Test(arguments: [
      ProxyCredential.basic(user: "ann", password: "s3cret"), .digest(user: "ann", password: "s3cret"),
    ])
    func `a server that asks within a tunnel for the proxy's credential is not sent it`(
      _ credential: ProxyCredential
    )
      async throws
    {
      let server = try MockServer()
      let challenges = [
        "Basic realm=\"p\"", "Digest realm=\"p\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256",
      ]
      server.otherwise { _ in
        var fields = HTTPFields()
        for name in ["Proxy-Authenticate", "WWW-Authenticate"] {
          for challenge in challenges { fields.append(name, challenge) }
        }
        return .response(status: 407, fields: fields)
      }
      let nginx = try await Nginx()
      let relay = try await TLSRelay(to: server.port, "good", of: nginx.certificates)
      let target = relay.port
      let proxy = try RawProxy { _ in .tunnel(target) }
      defer { proxy.stop() }
      let client = client(
        "http://127.0.0.1:\(proxy.port)", credential, authorities: nginx.certificates.authority)
      for request in [
        Request.get("https://localhost:\(target)/"), .post("https://localhost:\(target)/", .text("x")),
      ] {
        _ = try? await client.send(request)
      }
      #expect(!server.requests.isEmpty)
      for request in server.requests {
        #expect(request.fields["Proxy-Authorization"] == nil && request.fields["Authorization"] == nil)
      }
      #expect(server.requests.count <= 4)
    }

    // MARK: Digest

    /// A proxy that knows ann's password.
    private func digestProxy(nonces: [String] = ["n1"], _ accepted: RawProxy.Reply) throws -> RawProxy {
      let used = Locked(0)
      return try RawProxy { asked in
        let nonce = nonces[used.withLock { min($0, nonces.count - 1) }]
        let check = DigestCheck(asked)
        let isRight = check.isRight(
          user: "ann", password: "s3cret", realm: Self.realm, nonce: nonce)
        guard !isRight else {
          used.withLock { $0 += 1 }
          return accepted
        }
        let isStale = check.nonce.map { $0 != nonce } ?? false
        return .response(
          "407 No",
          [
            "Proxy-Authenticate: Digest realm=\"\(Self.realm)\", nonce=\"\(nonce)\", qop=\"auth\", algorithm=SHA-256"
              + (isStale ? ", stale=true" : "")
          ], body: "no")
      }
    }

    @Test func `Digest meets the proxy's challenge, and sends no password`() async throws {
      let proxy = try digestProxy(.response("200 OK", body: "by proxy"))
      defer { proxy.stop() }
      let client = client("http://127.0.0.1:\(proxy.port)", .digest(user: "ann", password: "s3cret"))
      let request = Request.get("http://a.invalid/x?y=z").bestEffort()
      let response = try await client.send(request)
      #expect(response.text == "by proxy")
      #expect(response.timing.attempts == 1)
      #expect(proxy.asked.count == 2)
      #expect(proxy.asked[0].field("Proxy-Authorization") == nil)
      #expect(!proxy.asked.contains { $0.head.contains("s3cret") })
    }

    @Test func `a body waits until the proxy has accepted the request`() async throws {
      let proxy = try digestProxy(.response("200 OK", body: "by proxy"))
      defer { proxy.stop() }
      let client = client("http://127.0.0.1:\(proxy.port)", .digest(user: "ann", password: "s3cret"))
      let url = "http://a.invalid/x"
      let chunks = AsyncStream { continuation in
        continuation.yield(Data("a stream".utf8))
        continuation.finish()
      }
      for (body, text) in [(RequestBody.text("a body"), "a body"), (.stream(chunks), "a stream")] {
        let before = proxy.asked.count
        #expect(try await client.send(.post(url, body).bestEffort()).text == "by proxy")
        let asked = proxy.asked[before...]
        #expect(asked.last?.body.contains(text) == true)
        #expect(asked.dropLast().allSatisfy { !$0.body.contains(text) })
      }
    }

    @Test func `an expired nonce is replaced, even if a body was sent with it`() async throws {
      let proxy = try digestProxy(nonces: ["n1", "n2", "n3", "n4"], .response("200 OK", body: "by proxy"))
      defer { proxy.stop() }
      let client = client("http://127.0.0.1:\(proxy.port)", .digest(user: "ann", password: "s3cret"))
      for number in 0..<4 {
        let request = Request.post("http://a.invalid/x", .text("body \(number)")).bestEffort()
        #expect(try await client.send(request).text == "by proxy")
        #expect(proxy.asked.last?.body == "body \(number)")
      }
    }

    @Test func `a wrong password for Digest is an error, and is not tried repeatedly`() async throws {
      let proxy = try digestProxy(.response("200 OK"))
      defer { proxy.stop() }
      let client = client("http://127.0.0.1:\(proxy.port)", .digest(user: "ann", password: "wr0ng"))
      for url in ["http://a.invalid/", "https://a.invalid/"] {
        let before = proxy.asked.count
        let error = await failure(client, .get(url))
        #expect(error?.code == .proxyAuthenticationFailed)
        #expect(error?.attempt == 1)
        #expect(proxy.asked.count - before == 2)
      }
    }

    @Test func `a proxy that calls every nonce stale does not cause endless requests`() async throws {
      let proxy = try RawProxy { _ in
        .response("407 No", ["Proxy-Authenticate: Digest realm=\"p\", nonce=\"n\", qop=\"auth\", stale=true"])
      }
      defer { proxy.stop() }
      let client = client("http://127.0.0.1:\(proxy.port)", .digest(user: "ann", password: "s3cret"))
      let error = await failure(client, .get("http://a.invalid/"))
      #expect(error?.code == .proxyAuthenticationFailed)
      #expect(error?.attempt == 1)
      #expect(proxy.asked.count == 3)
    }

    @Test func `a proxy that offers only Basic does not get the password of a Digest credential`()
      async throws
    {
      let proxy = try RawProxy { _ in .response("407 No", ["Proxy-Authenticate: Basic realm=\"p\""]) }
      defer { proxy.stop() }
      let client = client("http://127.0.0.1:\(proxy.port)", .digest(user: "ann", password: "s3cret"))
      for url in ["http://a.invalid/", "https://a.invalid/"] {
        #expect(await failure(client, .get(url))?.code == .proxyAuthenticationFailed)
      }
      #expect(proxy.asked.allSatisfy { $0.field("Proxy-Authorization") == nil })
    }

    @Test func `a tunnel is opened with Digest`() async throws {
      let nginx = try await Nginx()
      let proxy = try digestProxy(.tunnel(nginx.port("good")))
      defer { proxy.stop() }
      let client = client(
        "http://127.0.0.1:\(proxy.port)", .digest(user: "ann", password: "s3cret"),
        authorities: nginx.certificates.authority)
      #expect(try await client.send(.post(nginx.url("good"), .text("x")).bestEffort()).text == "hello")
      #expect(proxy.asked.map(\.method) == ["CONNECT", "CONNECT"])
    }

    @Test func `a request that may have reached the server is not sent again because of the proxy`()
      async throws
    {
      // The proxy accepts the request, and loses the server.
      let proxy = try digestProxy(.close)
      defer { proxy.stop() }
      let client = client("http://127.0.0.1:\(proxy.port)", .digest(user: "ann", password: "s3cret"))
      let error = await failure(client, .post("http://a.invalid/", .text("once")))
      #expect(error?.code == .connectionLost)
      #expect(error?.reachedServer == true)
      #expect(proxy.asked.count { $0.body == "once" } == 1)
    }

    // MARK: Configuration

    @Test(arguments: [
      ("http://127.0.0.1:9", ProxyCredential.basic(user: "a:s3cret", password: "b"), "colon"),
      ("http://127.0.0.1:9", .basic(user: "a", password: "s3cret\r\nX: y"), "control character"),
      ("http://127.0.0.1:9", .digest(user: "a\0", password: "s3cret"), "control character"),
      ("http://u:s3cret@127.0.0.1:9", .basic(user: "a", password: "b"), "set only one of them"),
    ])
    func `a credential that cannot be sent is an error`(
      _ proxy: String, _ credential: ProxyCredential, _ reason: String
    ) async throws {
      let error = await failure(client(proxy, credential), .get("http://a.invalid/"))
      #expect(error?.code == .invalidConfiguration)
      let said = error.map { "\($0)" } ?? ""
      #expect(said.contains(reason) && !said.contains("s3cret"), "\(said)")
    }

    @Test func `no description and no dump shows the user or the password`() {
      var curl = CurlConfiguration()
      curl.proxyCredential = .digest(user: "ann", password: "s3cret")
      curl.proxy = .url("http://ann:s3cret@127.0.0.1:9")
      var text = "\(curl) \(curl.proxyCredential.map { "\($0) \(String(reflecting: $0))" } ?? "")"
      dump(curl, to: &text)
      dump(CurlTransport(configuration: curl), to: &text)
      #expect(!text.contains("ann") && !text.contains("s3cret"))
    }
  }

  /// The parts of the response to a proxy's challenge.
  private struct DigestCheck {
    private var values: [String: String] = [:]
    private let method: String

    init(_ asked: RawProxy.Asked) {
      method = asked.method
      guard let field = asked.field("Proxy-Authorization"), field.hasPrefix("Digest ") else { return }
      for part in field.dropFirst(7).split(separator: ",") {
        let pair = part.split(separator: "=", maxSplits: 1)
        guard pair.count == 2 else { continue }
        let value = pair[1].hasPrefix("\"") ? String(pair[1].dropFirst().dropLast()) : String(pair[1])
        values[String(pair[0]).trimmingCharacters(in: .whitespaces)] = value
      }
    }

    var nonce: String? { values["nonce"] }

    /// RFC 7616, section 3.4.1.
    func isRight(user: String, password: String, realm: String, nonce: String) -> Bool {
      func hash(_ text: String) -> String { "\(SHA256Digest(hashing: Data(text.utf8)))" }
      func value(_ name: String) -> String { values[name] ?? "" }
      let secret = hash("\(user):\(realm):\(password)")
      let action = hash("\(method):\(value("uri"))")
      let response = hash("\(secret):\(nonce):\(value("nc")):\(value("cnonce")):auth:\(action)")
      return value("nonce") == nonce && value("response") == response
    }
  }
#endif
