import ErrandAuthentication
import ErrandCore
import ErrandCurl
import Foundation
import Programs
import TestSupport
import Testing

/// Authentication against servers that others wrote.
@Suite(.timeLimit(.minutes(1))) struct AuthenticationConformityTests {
  private static func client(_ url: URL, _ authentication: Authentication) -> Client {
    var configuration = ClientConfiguration()
    configuration.baseURL = url
    configuration.authentication = authentication
    return Client(transport: CurlTransport(), configuration: configuration)
  }

  private static func status(_ client: Client, _ path: String) async throws -> Int {
    try await client.send(Request.get(path).acceptingAnyStatus().attempts(1)).status.code
  }

  // MARK: nginx

  @Test(arguments: [("me", "pass"), ("t\u{EB}st", "1:23 \u{A3} \"x\"")])
  func `nginx accepts the user and the password of Basic`(user: String, password: String) async throws {
    let folder = try TemporaryFolder()
    let port = try FreePort.take()
    let hash = try await Program.output(of: "openssl", ["passwd", "-apr1", password])
    try folder.write("\(user):\(String(decoding: hash, as: UTF8.self))", to: "users")
    try folder.write("in", to: "page")
    try folder.write(
      """
      pid nginx.pid;
      error_log error.log;
      worker_processes 1;
      daemon off;
      events { worker_connections 64; }
      http {
        access_log off;
        client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
        uwsgi_temp_path uwsgi; scgi_temp_path scgi;
        server {
          listen 127.0.0.1:\(port);
          location / { root \(folder.url.path); auth_basic "here"; auth_basic_user_file \(folder.path("users")); }
        }
      }
      """, to: "nginx.conf")
    chmod(folder.path(""), 0o755)
    for name in ["users", "page"] { chmod(folder.path(name), 0o644) }
    let nginx = try Program(
      "/usr/bin/env", ["nginx", "-p", folder.url.path, "-c", "nginx.conf", "-e", "error.log"])
    defer { nginx.send(SIGTERM) }
    let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
    let right = Self.client(url, .basic(user: user, password: password))
    // Waits until it listens.
    try await waitUntil {
      try #require(nginx.isRunning)
      return (try? await Self.status(right, "page")) != nil
    }
    #expect(try await Self.status(right, "page") == 200)
    for wrong in [Authentication.basic(user: user, password: "\(password)x"), .bearer("x")] {
      #expect(try await Self.status(Self.client(url, wrong), "page") == 401)
    }
  }

  // MARK: httpbin

  @Test(
    .enabled("SKIPPED: httpbin is not installed (scripts/peers installs it)") {
      await PythonServer.has("httpbin")
    })
  func `httpbin accepts Basic, and Digest with each hash and quality`() async throws {
    let server = try await PythonServer(PythonServer.httpbin)
    let basic = Self.client(server.url, .basic(user: "me", password: "pa ss"))
    #expect(try await Self.status(basic, "basic-auth/me/pa%20ss") == 200)
    #expect(try await Self.status(basic, "basic-auth/me/other") == 401)
    for quality in ["auth", "auth-int"] {
      for algorithm in ["MD5", "SHA-256"] {
        for protectsBody in [false, true] {
          let digest = Self.client(
            server.url, .digest(user: "me", password: "pass", protectsBody: protectsBody))
          // httpbin decodes a path before it checks the digest, so an escaped path never matches.
          let path = "digest-auth/\(quality)/me/pass/\(algorithm)"
          // The second one uses the nonce of the first.
          #expect(try await Self.status(digest, path) == 200)
          #expect(try await Self.status(digest, path) == 200)
          let body = Request(.get, path, body: .text("covered")).acceptingAnyStatus().attempts(1)
          #expect(try await digest.send(body).status == 200)
          #expect(try await Self.status(digest, "digest-auth/\(quality)/me/other/\(algorithm)") == 401)
          await digest.shutdown()
        }
      }
    }
    await basic.shutdown()
  }

  // MARK: OAuth 2

  @Test(
    .enabled("SKIPPED: Authlib is not installed (scripts/peers installs it)") {
      await PythonServer.has("authlib, flask")
    })
  func `an Authlib authorization server refreshes a user's token once, and a program's token`() async throws {
    let server = try await PythonServer(PythonServer.authlib)
    let tokenURL = server.url.appending(path: "token")
    let session = CredentialSession(
      OAuth2(tokenURL: tokenURL, clientID: "app"),
      credential: OAuth2.Tokens(accessToken: "a0", refreshToken: "r0"), identity: "me")
    let client = Self.client(server.url, Authentication(session))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<50 {
        group.addTask {
          let response = try await client.send(.get("me?\(number)").attempts(1))
          #expect(response.text == "\(number)")
        }
      }
      try await group.waitForAll()
    }
    #expect(try await client.send(.get("refreshes")).text == "1")
    // The first refresh token was issued once.
    try await session.signIn(OAuth2.Tokens(accessToken: "a0", refreshToken: "r0"), identity: "me")
    let error = await #expect(throws: RequestError.self) { try await client.send(.get("me?x")) }
    #expect(error?.code == .signedOut && error?.message.contains("invalid_grant") == true)
    await client.shutdown()

    var method = OAuth2(tokenURL: tokenURL, clientID: "job", clientSecret: "hush")
    method.grant = .clientCredentials
    let program = Self.client(server.url, Authentication(CredentialSession(method)))
    #expect(try await program.send(.get("me?x")).text == "x")
    method.clientSecret = "wrong"
    let wrong = Self.client(server.url, Authentication(CredentialSession(method)))
    let refused = await #expect(throws: RequestError.self) { try await wrong.send(.get("me?x").attempts(1)) }
    #expect(refused?.code == .refreshFailed && refused?.message.contains("invalid_client") == true)
    await program.shutdown()
    await wrong.shutdown()
  }
}
