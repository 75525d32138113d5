import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

@Suite struct RedirectPolicyTests {
  private func step(
    _ request: Request, _ status: Int, _ location: String?, followed: Int = 0,
    policy: RedirectPolicy = RedirectPolicy(), secrets: Secrets = .standard
  ) throws(RequestError) -> Request? {
    var fields = HTTPFields()
    fields["Location"] = location
    let head = ResponseHead(status: HTTPStatus(status), fields: fields)
    if case .follow(let next) = try policy.step(request, head, followed: followed, secrets: secrets) {
      return next
    }
    return nil
  }

  @Test func `only the five redirect statuses with a Location are followed`() throws {
    for status in [200, 204, 300, 304, 305, 404, 500] {
      #expect(try step(.get("http://h/"), status, "/x") == nil)
    }
    for status in [301, 302, 303, 307, 308] {
      #expect(try step(.get("http://h/"), status, "/x")?.address.text == "http://h/x")
      #expect(try step(.get("http://h/"), status, nil) == nil)
    }
  }

  @Test(arguments: [
    ("/x?y#z", "http://h/x?y#z"), ("x", "http://h/a/x#f"), ("//o/x", "http://o/x#f"),
    ("?q", "http://h/a/b?q#f"),
    ("https://o:8/", "https://o:8/#f"), ("../c", "http://h/c#f"),
  ])
  func `a Location is resolved against the requested URL`(location: String, expected: String) throws {
    #expect(try step(.get("http://h/a/b#f"), 302, location)?.address.text == expected)
  }

  @Test func `303 changes every method except HEAD to GET, 301 and 302 only POST, 307 and 308 none`() throws {
    func methodAfter(_ method: HTTPMethod, _ status: Int) throws -> HTTPMethod? {
      try step(Request(method, "http://h/", body: .text("x")), status, "/")?.method
    }
    for method in [HTTPMethod.get, .post, .put, .patch, .delete] {
      #expect(try methodAfter(method, 303) == .get)
      #expect(try methodAfter(method, 302) == (method == .post ? .get : method))
      #expect(try methodAfter(method, 301) == (method == .post ? .get : method))
      #expect(try methodAfter(method, 307) == method)
      #expect(try methodAfter(method, 308) == method)
    }
    #expect(try methodAfter(.head, 303) == .head)
  }

  @Test func `a policy that keeps the method refuses redirects that would change it`() throws {
    var policy = RedirectPolicy()
    policy.allowsChangeOfMethod = false
    for (method, status) in [(HTTPMethod.post, 301), (.post, 302), (.post, 303), (.put, 303), (.delete, 303)]
    {
      let error = #expect(throws: RequestError.self) {
        try step(Request(method, "http://h/", body: .text("x")), status, "/", policy: policy)
      }
      #expect(error?.code == .redirectRefused)
    }
    for (method, status) in [(HTTPMethod.get, 303), (.put, 302), (.post, 307), (.post, 308)] {
      #expect(try step(Request(method, "http://h/"), status, "/", policy: policy)?.method == method)
    }
  }

  @Test func `a redirect that drops the body also drops the fields that describe the body`() throws {
    let request = Request.post("http://h/", .text("x")).field("Content-Language", "de").field("X", "1")
    let got = try #require(try step(request, 303, "/"))
    #expect(got.body.isNone)
    #expect(got.fields.map(\.name) == ["X"])
    #expect(try step(request, 307, "/")?.body == request.body)
  }

  @Test(arguments: ["https://h/", "http://h:81/", "http://o/", "http://h.o/"])
  func `credentials are not sent across origins`(location: String) throws {
    var secrets = Secrets.standard
    secrets.fields = ["x-session", "prefer"]
    let request = Request.get("http://h/").bearer("t").field("Cookie", "c").field("X-Session", "s")
      .field("X-Key", "k", isSecret: true).field("Host", "virtual").field("Accept", "a")
      .field("Prefer", "p").field("X-Anything", "x")
    let next = try #require(try step(request, 302, location, secrets: secrets))
    #expect(next.fields.map(\.name) == ["Accept"])
  }

  @Test func `credentials are kept within the origin, in whatever notation it is written`() throws {
    let request = Request.get("http://H:80/").bearer("t")
    #expect(try step(request, 302, "HTTP://h/x")?.fields["Authorization"] == "Bearer t")
  }

  @Test(arguments: ["file:///etc/passwd", "ftp://h/", "javascript:alert(1)", "data:text/plain,x"])
  func `a redirect to a scheme other than http and https is refused, and the error says so`(location: String)
  {
    let error = #expect(throws: RequestError.self) { _ = try step(.get("http://h/"), 302, location) }
    #expect(error?.code == .redirectRefused)
    #expect(error?.description.contains("only http and https") == true)
  }

  @Test func `a redirect from https to http is refused unless it is allowed`() throws {
    let error = #expect(throws: RequestError.self) { _ = try step(.get("https://h/"), 302, "http://h/") }
    #expect(error?.code == .redirectRefused)
    let allowed = RedirectPolicy(allowsDowngrade: true)
    #expect(try step(.get("https://h/"), 302, "http://h/", policy: allowed) != nil)
  }

  @Test func `the redirect limit is enforced, and a limit of zero follows none`() throws {
    #expect(try step(.get("http://h/"), 302, "/", followed: 9) != nil)
    let error = #expect(throws: RequestError.self) { _ = try step(.get("http://h/"), 302, "/", followed: 10) }
    #expect(error?.code == .tooManyRedirects)
    #expect(try step(.get("http://h/"), 302, "/", policy: RedirectPolicy(limit: 0)) == nil)
  }

  @Test func `a stream cannot be sent again, and the error says so`() {
    let body = RequestBody.stream(AsyncStream { $0.finish() })
    let error = #expect(throws: RequestError.self) { _ = try step(.put("http://h/", body), 307, "/") }
    #expect(error?.code == .bodyNotReplayable)
  }
}
