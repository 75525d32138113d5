import ErrandAuthentication
import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore
@testable import ErrandStreaming

@Suite struct PagesTests {
  private static func next(_ url: String, body: String = "") -> StubStep {
    .response(fields: ["Link": "<\(url)>; rel=\"next\""], body: body)
  }

  private static func client(
    _ stub: StubTransport, _ configure: (inout ClientConfiguration) -> Void = { _ in }
  ) -> Client {
    var configuration = ClientConfiguration()
    configuration.retry.backoff = .zero
    configure(&configuration)
    return Client(transport: stub, configuration: configuration)
  }

  private static func read(_ pages: some AsyncSequence<Response, any Error>) async -> (
    texts: [String], error: RequestError?
  ) {
    var texts: [String] = []
    do {
      for try await page in pages { texts.append(page.text) }
    } catch {
      return (texts, error as? RequestError)
    }
    return (texts, nil)
  }

  private static var three: StubTransport {
    StubTransport([next("/2", body: "[1,2]"), next("3", body: "[3]"), .response(body: "[4]")])
  }

  @Test func `each page leads to the next, and the options stay`() async throws {
    let stub = Self.three
    let client = Self.client(stub) { $0.baseURL = URL(string: "https://a.test") }
    let request = Request.post("search", .text("q")).field("Accept", "application/json").timeout(.seconds(3))
      .field("Authorization", "Bearer x").field("If-None-Match", "\"1\"")
    let (texts, error) = await Self.read(client.pages(of: request))
    #expect(texts == ["[1,2]", "[3]", "[4]"] && error == nil)
    #expect(
      stub.requests.map(\.url.absoluteString) == [
        "https://a.test/search", "https://a.test/2", "https://a.test/3",
      ])
    #expect(stub.requests.map(\.method) == [.post, .get, .get])
    #expect(stub.requests.map(\.text) == ["q", "", ""])
    #expect(
      stub.requests.allSatisfy { $0.timeout == .seconds(3) && $0.fields["Accept"] == "application/json" })
    #expect(stub.requests.allSatisfy { $0.fields["Authorization"] == "Bearer x" })
    #expect(stub.requests.map { $0.fields.contains("If-None-Match") } == [true, false, false])
    #expect(stub.requests.map { $0.fields.contains("Content-Type") } == [true, false, false])
  }

  @Test func `the values of pages are decoded`() async throws {
    let client = Self.client(Self.three)
    var all: [Int] = []
    for try await page in client.pages(of: .get("https://a.test/1"), as: [Int].self) { all += page }
    #expect(all == [1, 2, 3, 4])
  }

  @Test func `a page that cannot be decoded ends the sequence`() async throws {
    let client = Self.client(StubTransport([Self.next("/2", body: "?"), .response(body: "[4]")]))
    let pages = PageSequence(client: client, request: .get("https://a.test/1"), limit: 9, scope: nil)
    var values = DecodedPages<[Int]>(pages: pages).makeAsyncIterator()
    do {
      _ = try await values.next()
      Issue.record("the page was decoded")
    } catch { #expect((error as? RequestError)?.code == .decodingFailed) }
    #expect(try await values.next() == nil)
  }

  @Test func `no page is requested before it is asked for`() async throws {
    let stub = Self.three
    let pages = Self.client(stub).pages(of: .get("https://a.test/1"))
    #expect(stub.requests.isEmpty)
    for try await _ in pages { break }
    #expect(stub.requests.count == 1)
    // Each iterator begins with the first page.
    for try await _ in pages { break }
    #expect(stub.requests.map(\.url.path) == ["/1", "/1"])
  }

  @Test func `a page is retried, and a failed page ends the sequence`() async throws {
    let stub = StubTransport([
      Self.next("/2", body: "1"), .fail(.connectionLost), Self.next("/3", body: "2"), .response(status: 404),
    ])
    let (texts, error) = await Self.read(Self.client(stub).pages(of: .get("https://a.test/1")))
    #expect(texts == ["1", "2"] && error?.code == .rejected)
    let client = Self.client(StubTransport([.response(status: 404)]))
    var pages = PageSequence(client: client, request: .get("https://a.test/"), limit: 9, scope: nil)
      .makeAsyncIterator()
    do {
      _ = try await pages.next()
      Issue.record("the page was accepted")
    } catch { #expect((error as? RequestError)?.code == .rejected) }
    #expect(try await pages.next() == nil)
  }

  @Test(arguments: [
    ["/1"], ["/1#part"], ["/2", "/2"], ["/2", "/3", "/2"], ["https://a.test/1"], ["/x/../1"],
  ])
  func `pages that would never end are an error after the last new page`(links: [String]) async throws {
    let stub = StubTransport { request in Self.next(links[min(request.index, links.count - 1)], body: "x") }
    let (texts, error) = await Self.read(Self.client(stub).pages(of: .get("https://a.test/1")))
    #expect(texts.count == links.count && stub.requests.count == links.count)
    #expect(error?.code == .pageRefused)
    #expect(error?.message.contains("is that of an earlier page") == true)
  }

  @Test func `a page that names the URL that it was redirected to is an error`() async throws {
    let stub = StubTransport { request in
      request.url.path == "/1" ? .response(status: 302, fields: ["Location": "/real"]) : Self.next("/real")
    }
    let (texts, error) = await Self.read(Self.client(stub).pages(of: .get("https://a.test/1")))
    #expect(texts.count == 1 && error?.code == .pageRefused)
  }

  @Test func `the number of pages is limited`() async throws {
    let stub = StubTransport { request in Self.next("/\(request.index + 2)") }
    let (texts, error) = await Self.read(Self.client(stub).pages(of: .get("https://a.test/1"), limit: 3))
    #expect(texts.count == 3 && stub.requests.count == 3)
    #expect(
      error?.message == "the next page was not requested: there are more than 3 pages: set a higher limit")
  }

  @Test(arguments: [
    ("ftp://a.test/2", "only http and https are supported"), ("http://[::/", "its URL is not valid"),
    ("mailto:ann@a.test", "only http and https"), ("http://a.test/2", "leads from https to http"),
    ("https://user:secret@/", "its URL is"),
  ])
  func `a next page that cannot be requested is an error`(target: String, reason: String) async throws {
    let stub = StubTransport([Self.next(target)])
    let (texts, error) = await Self.read(Self.client(stub).pages(of: .get("https://a.test/1")))
    #expect(texts.count == 1 && stub.requests.count == 1 && error?.code == .pageRefused)
    #expect(error?.message.contains(reason) == true)
    #expect(error?.description.contains("secret") == false)
  }

  @Test func `an error shows no secret of a page's URL`() async throws {
    let stub = StubTransport([Self.next("/1?token=abc")])
    let (_, error) = await Self.read(Self.client(stub).pages(of: .get("https://a.test/1?token=abc")))
    #expect(error?.code == .pageRefused && error?.description.contains("abc") == false)
  }

  // MARK: Other origins

  private struct AddsKey: Interceptor {
    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      try await next(request.field("Accept-Language", "de"))
    }
  }

  private struct Signs: RequestSigner {
    func sign(_ request: inout OutgoingRequest) { request.fields["X-Signed"] = "yes" }
  }

  /// The fields of each request that pages of these URLs send, with every kind of credential.
  private func fields(_ links: [String], redirected: String? = nil, origins: [String] = ["https://a.test"])
    async throws -> [HTTPFields]
  {
    let stub = StubTransport { request in
      if let redirected, request.index == 0 {
        return .response(status: 302, fields: ["Location": redirected])
      }
      let index = request.index - (redirected == nil ? 0 : 1)
      return links.indices.contains(index) ? Self.next(links[index]) : .response()
    }
    let client = Self.client(stub) {
      $0.authentication = .bearer("token", at: origins.compactMap { URL(string: $0) })
      $0.fields["X-Api-Key"] = "key"
      $0.fields["X-Custom"] = "custom"
      $0.interceptors = [AddsKey()]
      $0.attemptInterceptors = [AddsKey()]
    }
    let request = Request.get("https://a.test/1").field("Cookie", "id=7").field("Accept", "text/plain")
      .signed(by: Signs())
    _ = await Self.read(client.pages(of: request))
    return stub.requests.map(\.fields)
  }

  private let names = ["Authorization", "X-Api-Key", "X-Custom", "Cookie", "Accept-Language", "X-Signed"]

  @Test func `a page at the same origin gets everything`() async throws {
    let fields = try await fields(["/2"])
    #expect(fields.count == 2)
    for name in names { #expect(fields.allSatisfy { $0.contains(name) }, "\(name)") }
  }

  @Test(arguments: ["https://b.test/2", "https://a.test:8443/2"])
  func `another origin gets no credential, and neither has the way back one`(target: String) async throws {
    let fields = try await fields([target, "https://a.test/3"])
    #expect(fields.count == 3)
    for name in names { #expect(fields.map { $0.contains(name) } == [true, false, false], "\(name)") }
    #expect(fields.allSatisfy { $0["Accept"] == "text/plain" && $0.contains("User-Agent") })
  }

  @Test func `a page that another origin chose after a redirect gets no credential`() async throws {
    let fields = try await fields(["https://a.test/2"], redirected: "https://b.test/")
    #expect(fields.count == 3)
    for name in names where name != "Accept-Language" {
      #expect(fields.map { $0.contains(name) } == [true, false, false], "\(name)")
    }
    #expect(!fields[2].contains("Accept-Language"))
  }

  @Test func `a credential for both origins is sent to both`() async throws {
    let fields = try await fields(["https://b.test/2"], origins: ["https://a.test", "https://b.test"])
    #expect(fields.map { $0["Authorization"] } == ["Bearer token", "Bearer token"])
    #expect(!fields[1].contains("X-Api-Key"))
  }

  @Test func `a policy without other origins refuses their pages`() async throws {
    let stub = StubTransport([Self.next("https://b.test/")])
    let client = Self.client(stub) { $0.redirects.allowsOtherOrigins = false }
    let (_, error) = await Self.read(client.pages(of: .get("https://a.test/1")))
    #expect(error?.message.contains("RedirectPolicy.allowsOtherOrigins") == true && stub.requests.count == 1)
  }

  // MARK: Other options

  @Test func `a cached name and a chosen key are for the first page only`() async throws {
    let stub = Self.three
    let client = Self.client(stub)
    let request = Request.get("https://a.test/1").cached(as: "list").shared(within: .seconds(60), key: "list")
    #expect(await Self.read(client.pages(of: request)).texts == ["[1,2]", "[3]", "[4]"])
    #expect(try await client.cachedResponse(to: request)?.text == "[1,2]")
  }

  @Test func `a scope that ends cancels the pages`() async throws {
    let stub = StubTransport([Self.next("/2"), .stall])
    let scope = RequestScope("list")
    let client = Self.client(stub)
    let reading = Task { await Self.read(client.pages(of: .get("https://a.test/1"), in: scope)) }
    try await stub.waitForRequests(2)
    scope.end()
    let (texts, error) = await reading.value
    #expect(texts.count == 1 && error?.code == .cancelled)
  }

  @Test func `a cancelled task cancels the page`() async throws {
    let stub = StubTransport([Self.next("/2"), .stall])
    let client = Self.client(stub)
    let reading = Task { await Self.read(client.pages(of: .get("https://a.test/1"))) }
    try await stub.waitForRequests(2)
    reading.cancel()
    #expect(await reading.value.error?.isCancellation == true)
    #expect(stub.inFlight == 0)
  }
}
