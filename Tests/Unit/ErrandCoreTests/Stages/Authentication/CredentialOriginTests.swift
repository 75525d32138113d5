import ErrandCookies
import ErrandTesting
import Foundation
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

/// A credential that was added for one origin is never sent to another.
@Suite struct CredentialOriginTests {
  /// Sends each attempt to another URL, as an app's interceptor may do, with a changed request.
  private struct Leading: Interceptor {
    var url = "http://b.test/moved"
    var keepsOptions = true
    var removes: String?

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      var moved = Request(request.method, url, fields: request.fields, body: request.body)
      if keepsOptions { moved.options = request.options }
      if let removes { moved.fields.remove(removes) }
      return try await next(moved)
    }
  }

  /// Adds its token, and the host that it is for, at the place that a test chooses.
  private struct Placing: Authenticator {
    let place: @Sendable (Request, String) -> Request
    func authenticate(_ request: Request, with token: String) -> Request { place(request, token) }
    func refresh(_ token: String?, _ refresh: CredentialRefresh) -> String { "new" }
  }

  /// Sends a request to another origin before it provides the credential for `b.test`.
  private final class Asking: Authenticator {
    let client = Locked<Client?>(nil)
    func authenticate(_ request: Request, with token: String) async throws -> Request {
      if request.url?.host() == "b.test" {
        _ = try await client.withLock { $0 }?.send(.get("http://c.test/key"))
      }
      return request.field("X-Own", token)
    }
    func refresh(_ token: String?, _ refresh: CredentialRefresh) -> String { "new" }
  }

  private final class Counting: Authenticator {
    let renewed = Locked(0)
    func authenticate(_ request: Request, with token: String) -> Request { request.field("X-Own", token) }
    func refresh(_ token: String?, _ refresh: CredentialRefresh) -> String {
      renewed.withLock { $0 += 1 }
      return "new"
    }
  }

  private static func urls(_ hosts: String...) -> [URL] { hosts.compactMap { URL(string: "http://\($0)") } }

  private func stage(
    _ authentication: Authentication, _ interceptor: Leading? = nil,
    _ handler: @escaping StubTransport.Handler = { _ in .response() }
  ) -> Stage {
    Stage.configured { configuration in
      configuration.authentication = authentication
      configuration.attemptInterceptors = interceptor.map { [$0] } ?? []
    }.responding(handler)
  }

  private static func redirecting(_ request: StubRequest) -> StubStep {
    request.url.host() == "a.test"
      ? .response(status: 307, fields: ["Location": "http://b.test/next"]) : .response(body: request.path)
  }

  private func placing(
    at hosts: [URL] = urls("a.test"), _ place: @escaping @Sendable (Request, String) -> Request
  ) -> Authentication {
    Authentication(CredentialSession(Placing(place: place), credential: "old"), at: hosts)
  }

  // MARK: Attempt interceptors

  @Test(arguments: [true, false])
  func `an attempt interceptor that changes the origin leaves the credential behind`(keepsOptions: Bool)
    async throws
  {
    let kinds: [Authentication] = [
      .bearer("secret", at: Self.urls("a.test")),
      .basic(user: "u", password: "secret", at: Self.urls("a.test")),
      .apiKey("secret", in: "X-Own", at: Self.urls("a.test")),
      placing { request, token in request.field("X-Own", token).addingField("X-Many", token) },
    ]
    for kind in kinds {
      let stage = stage(kind, Leading(keepsOptions: keepsOptions))
      try await stage.client.send(.get("http://a.test/").field("X-Mine", "1").addingField("X-Many", "mine"))
      let request = try #require(stage.stub.requests.last)
      #expect(request.url.host() == "b.test")
      let names = request.fields.map(\.name).filter { $0 != "User-Agent" }.sorted()
      #expect(names == ["X-Many", "X-Mine"], "\(kind)")
      #expect(request.fields["X-Many"] == "mine")
      await stage.expectNothingLeft()
    }
  }

  @Test(arguments: ["https://a.test/", "http://a.test:81/", "http://A.TEST./", "http://b.a.test/"])
  func `scheme, host and port together are the origin`(url: String) async throws {
    let stage = stage(.bearer("secret", at: Self.urls("a.test")), Leading(url: url))
    try await stage.client.send(.get("http://a.test/"))
    #expect(stage.stub.requests.map { $0.fields.contains("Authorization") } == [false])
  }

  @Test
  func `a credential stays within its origin, and another one is provided for a second origin in the list`()
    async throws
  {
    let each = placing(at: Self.urls("a.test", "b.test")) { request, token in
      request.field("X-Own", "\(token) for \(request.url?.host() ?? "")")
    }
    for (leading, expected) in [
      (Leading(url: "http://a.test/other"), "old for a.test"), (Leading(), "old for b.test"),
      (Leading(keepsOptions: false), "old for b.test"), (Leading(removes: "X-Own"), nil),
    ] {
      let stage = stage(each, leading)
      try await stage.client.send(.get("http://a.test/"))
      #expect(stage.stub.requests.map { $0.fields["X-Own"] } == [expected])
    }
  }

  @Test(arguments: [true, false])
  func `a credential in the URL or the body cannot be removed, so nothing is sent`(isInURL: Bool)
    async throws
  {
    let authentication = placing { request, token in
      isInURL ? request.query("key", token) : request.with { $0.body = .text("\(token)=body") }
    }
    let stage = stage(authentication, Leading())
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(.post("http://a.test/", .text("body")))
    }
    #expect(error?.code == .invalidRequest && error?.reachedServer == false)
    #expect(error?.message.contains(isInURL ? "URL" : "body") == true)
    #expect(stage.stub.requests.isEmpty)
    await stage.expectNothingLeft()
  }

  @Test func `an authenticator cannot change a request's origin`() async throws {
    let authentication = placing { request, token in
      Request(request.method, "http://b.test/", fields: ["X-Own": token])
    }
    let stage = stage(authentication)
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(.get("http://a.test/"))
    }
    #expect(error?.code == .invalidRequest)
    #expect(stage.stub.requests.isEmpty)
  }

  @Test func `a 401 from a server that was not sent the credential renews nothing`() async throws {
    let counting = Counting()
    let session = CredentialSession(counting, credential: "old")
    let stage = stage(Authentication(session, at: Self.urls("a.test")), Leading()) { _ in
      .response(status: 401)
    }
    let response = try await stage.client.send(.get("http://a.test/").acceptingAnyStatus())
    #expect(response.status == 401)
    await #expect(throws: RequestError.self) { try await stage.client.send(.get("http://a.test/")) }
    #expect(counting.renewed.withLock { $0 } == 0 && stage.stub.requests.count == 2)
  }

  @Test func `an interceptor that changes the origin does not send the cookies of the old one`() async throws
  {
    let cookies = CookieStore()
    let stage = Stage.configured { configuration in
      configuration.cookies = cookies
      configuration.attemptInterceptors = [Leading()]
      configuration.date = { .now }
    }.responding { _ in .response() }
    for host in ["a", "b"] {
      let url = try #require(URL(string: "http://\(host).test/"))
      cookies.take(["Set-Cookie": "of=\(host)"], from: url, at: .now)
    }
    try await stage.client.send(.get("http://a.test/"))
    #expect(stage.stub.requests.map { $0.fields["Cookie"] } == ["of=b"])
  }

  // MARK: Redirects

  @Test func `a redirect between two origins of the list gets the credential for the second`() async throws {
    let kinds: [Authentication] = [
      .bearer("secret", at: Self.urls("a.test", "b.test")),
      placing(at: Self.urls("a.test", "b.test")) { request, token in
        request.field("Authorization", "\(token) \(request.url?.host() ?? "")")
      },
    ]
    for (kind, sent) in zip(kinds, [["Bearer secret", "Bearer secret"], ["old a.test", "old b.test"]]) {
      let stage = stage(kind, nil, { Self.redirecting($0) })
      let request = Request.post("http://a.test/", .text("body")).field("X-Mine", "1")
      let response = try await stage.client.send(request)
      #expect(stage.stub.requests.map { $0.fields["Authorization"] } == sent)
      #expect(stage.stub.requests.map { $0.fields["X-Mine"] } == ["1", nil])
      #expect(stage.stub.requests.map(\.body) == [Data("body".utf8), Data("body".utf8)])
      #expect(response.timing.redirects == 1 && response.timing.attempts == 1)
      await stage.expectNothingLeft()
    }
  }

  @Test func `all redirects of an attempt count towards the limit, whichever origin they lead to`()
    async throws
  {
    let stage = stage(.bearer("secret", at: Self.urls("a.test", "b.test"))) { request in
      let host = request.url.host() == "a.test" ? "b" : "a"
      return .response(status: 302, fields: ["Location": "http://\(host).test/\(request.index)"])
    }
    let limited = Request.get("http://a.test/").redirects(RedirectPolicy(limit: 3))
    let error = await #expect(throws: RequestError.self) { try await stage.client.send(limited) }
    #expect(error?.code == .tooManyRedirects && error?.reachedServer == true)
    #expect(
      stage.stub.requests.map { $0.fields["Authorization"] } == Array(repeating: "Bearer secret", count: 4))
  }

  @Test func `a redirect through another origin does not restore the credential`() async throws {
    let next = ["/0": "http://c.test/1", "/1": "http://b.test/2", "/2": "http://a.test/3"]
    let stage = stage(.bearer("secret", at: Self.urls("a.test", "b.test"))) { request in
      next[request.path].map { .response(status: 302, fields: ["Location": $0]) } ?? .response(status: 401)
    }
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(.get("http://a.test/0"))
    }
    #expect(error?.status == 401)
    #expect(stage.stub.requests.map { $0.fields.contains("Authorization") } == [true, false, false, false])
  }

  @Test func `a 401 from the second origin renews the credential that it was sent`() async throws {
    let session = CredentialSession(
      Placing { request, token in request.field("X-Own", token) }, credential: "old")
    let stage = stage(Authentication(session, at: Self.urls("a.test", "b.test"))) { request in
      if request.url.host() == "a.test" { return Self.redirecting(request) }
      return request.fields["X-Own"] == "new" ? .response(body: "fresh") : .response(status: 401)
    }
    #expect(try await stage.client.send(.get("http://a.test/")).text == "fresh")
    #expect(stage.stub.requests.map { $0.fields["X-Own"] } == ["old", "old", "new", "new"])
  }

  @Test func `a body that contains the credential is not sent to another origin by a redirect`() async throws
  {
    for hosts in [Self.urls("a.test"), Self.urls("a.test", "b.test")] {
      let authentication = placing(at: hosts) { request, token in
        request.with { if !$0.body.isNone { $0.body = .text(token) } }
      }
      let stage = stage(authentication, nil, { Self.redirecting($0) })
      let error = await #expect(throws: RequestError.self) {
        try await stage.client.send(.post("http://a.test/", .text("body")))
      }
      #expect(error?.code == .redirectRefused && error?.reachedServer == true)
      #expect(stage.stub.requests.count == 1)
      #expect(try await stage.client.send(.get("http://a.test/")).text == "/next")
    }
  }

  @Test func `the credential for a redirect's target is provided while no slot is held`() async throws {
    let asking = Asking()
    let session = CredentialSession(asking, credential: "old")
    let stage = Stage.configured { configuration in
      configuration.authentication = Authentication(session, at: Self.urls("a.test", "b.test"))
      configuration.limits.total = 1
    }.responding { Self.redirecting($0) }
    asking.client.withLock { $0 = stage.client }
    defer { asking.client.withLock { $0 = nil } }
    try await stage.client.send(.get("http://a.test/"))
    #expect(stage.paths == ["/", "/key", "/next"])
    await stage.expectNothingLeft()
  }

  // MARK: Digest

  /// Two servers, each with its own realm and nonce.
  private static func digest(_ request: StubRequest) -> StubStep {
    let host = request.url.host() ?? ""
    let sent = request.fields["Authorization"] ?? ""
    guard sent.contains(#"realm="\#(host)""#), sent.contains(#"uri="\#(request.path)""#) else {
      return .response(
        status: 401, fields: ["WWW-Authenticate": #"Digest realm="\#(host)", nonce="n-\#(host)", qop="auth""#]
      )
    }
    return redirecting(request)
  }

  @Test func `a digest is computed for the second origin with the challenge of that origin`() async throws {
    let stage = stage(
      .digest(user: "u", password: "secret", at: Self.urls("a.test", "b.test")), nil, { Self.digest($0) })
    #expect(try await stage.client.send(.get("http://a.test/")).text == "/next")
    // One challenge each; after that both are known.
    #expect(stage.paths == ["/", "/", "/next", "/", "/next"])
    #expect(try await stage.client.send(.get("http://a.test/")).text == "/next")
    #expect(stage.paths.suffix(2) == ["/", "/next"] && stage.paths.count == 7)
    for request in stage.stub.requests {
      let host = request.url.host() ?? ""
      #expect(request.fields["Authorization"]?.contains("n-\(host)") ?? true)
    }
  }

  @Test func `a digest is not sent to another origin`() async throws {
    let authentication = Authentication.digest(user: "u", password: "secret", at: Self.urls("a.test"))
    let led = stage(authentication, Leading(keepsOptions: false), { Self.digest($0) })
    let redirected = stage(authentication, nil, { Self.digest($0) })
    _ = try? await redirected.client.send(.get("http://a.test/"))
    _ = try? await led.client.send(.get("http://a.test/"))
    for stage in [led, redirected] {
      let others = stage.stub.requests.filter { $0.url.host() == "b.test" }
      #expect(others.map { $0.fields.contains("Authorization") } == [false])
    }
  }

  @Test func `a second origin that refuses the password is sent it only once`() async throws {
    let stage = stage(.digest(user: "u", password: "secret", at: Self.urls("a.test", "b.test"))) { request in
      request.url.host() == "a.test"
        ? Self.digest(request)
        : .response(status: 401, fields: ["WWW-Authenticate": "Digest realm=b, nonce=n, qop=auth"])
    }
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(.get("http://a.test/"))
    }
    #expect(error?.status == 401)
    #expect(stage.paths == ["/", "/", "/next", "/", "/next"])
  }
}
