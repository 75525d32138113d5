import Foundation
import TestSupport
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

@Suite struct RequestKeyTests {
  private let url = "https://api.test/feed"

  private func key(
    _ request: Request, _ rule: RepeatRule = .ignoring(), secrets: Secrets = Secrets(),
    identity: String? = nil
  ) throws -> RequestKey {
    let user = RequestIdentity(client: ClientIdentity({ identity }, nil))
    let key: OptionMark.Keys = rule.sharesResponses ? .sharing : .repeats
    return try request.key(for: rule, secrets: secrets, identity: user.present(request, in: key).text)
  }

  @Test func `a key consists of method, URL and body, and ignores the order of the query`() throws {
    let request = Request.get(url, query: ["a": "1", "b": "2"])
    #expect(try key(request) == key(.get("HTTPS://api.test:443/feed?b=2&a=1#top")))
    #expect(try key(request) != key(.head(url, query: ["a": "1", "b": "2"])))
    #expect(try key(request) != key(.get(url, query: ["a": "1", "b": "3"])))
    #expect(try key(.post(url, .text("1"))) == key(.post(url, .text("1"))))
    #expect(try key(.post(url, .text("1"))) != key(.post(url, .text("2"))))
    #expect(try key(.post(url, .text("1"))) != key(.post(url)))
    #expect(try key(.post(url, .text(""))) != key(.post(url)))
  }

  @Test func `the content type of the body is part of the key, wherever it is set`() throws {
    let data = Data("1".utf8)
    #expect(
      try key(.post(url, .bytes(data, contentType: "a/b")))
        != key(.post(url, .bytes(data, contentType: "a/c"))))
    let overridden = Request.post(url, .bytes(data, contentType: "a/b")).field("Content-Type", "a/c")
    #expect(try key(overridden) == key(.post(url, .bytes(data, contentType: "a/c"))))
  }

  @Test func `large bodies are compared by all their bytes`() throws {
    var large = Data(repeating: 7, count: 100_000)
    let first = try key(.post(url, .bytes(large)))
    #expect(try key(.post(url, .bytes(Data(large)))) == first)
    large[99_999] = 8
    #expect(try key(.post(url, .bytes(large))) != first)
    #expect(try key(.post(url, .bytes(large.prefix(4096)))) != key(.post(url, .bytes(large.prefix(4097)))))
  }

  @Test func `the key contains only the named header fields, in any case and order`() throws {
    let one = Request.get(url).field("X-Tenant", "7").field("X-Trace", "1")
    let other = Request.get(url).field("x-trace", "2").field("x-tenant", "7")
    #expect(try key(one) == key(other))
    let rule = RepeatRule.ignoring(fields: ["x-TENANT"])
    #expect(try key(one, rule) == key(other, rule))
    #expect(try key(one, rule) != key(one.field("X-Tenant", "8"), rule))
    let both = RepeatRule.ignoring(fields: ["X-Tenant", "X-Trace"])
    #expect(try key(one, both) != key(other, both))
    #expect(try key(one, both) == key(other.field("X-Trace", "1"), both))
  }

  @Test func `a response is not shared with a caller that would reject it`() throws {
    var strict = RedirectPolicy()
    strict.allowsOtherOrigins = false
    let request = Request.get(url)
    for rule in [RepeatRule.sharing(), .sharing(key: "chosen")] {
      for other in [
        .head(url), request.redirects(strict), request.memoryLimit(10), request.httpVersion(.http1),
      ] {
        #expect(try key(request, rule) != key(other, rule))
        #expect(try key(other, rule) == key(other, rule))
      }
    }
    #expect(try key(request, .latest("x")) == key(request.redirects(strict), .latest("x")))
  }

  @Test(arguments: ["Accept", "Accept-Language", "Range", "If-None-Match"])
  func `a response is not shared with a request for another representation`(name: String) throws {
    let rule = RepeatRule.sharing(fields: ["X-Tenant"])
    let request = Request.get(url).field(name, "one")
    #expect(try key(request, rule) != key(request.field(name, "two"), rule))
    #expect(try key(request, rule) != key(.get(url), rule))
    #expect(try key(request.field("X-Tenant", "1"), rule) != key(request, rule))
    #expect(try key(request) == key(.get(url)))
  }

  @Test(arguments: [
    RepeatRule.ignoring(), .ignoring(key: "mine"), .latest("mine"), .sharing(key: "mine"), .sharing(),
  ])
  func `credentials are part of every key`(rule: RepeatRule) throws {
    let request = Request.get(url)
    let plain = try key(request, rule)
    let people = [
      request.bearer("a"), request.bearer("b"), request.field("Cookie", "a"),
      request.field("Proxy-Authorization", "a"), request.field("X-Key", "a", isSecret: true),
    ]
    var keys: Set = [plain]
    for person in people { keys.insert(try key(person, rule)) }
    keys.insert(try key(request, rule, identity: "me"))
    keys.insert(try key(request, rule, identity: ""))
    #expect(keys.count == people.count + 3)
    #expect(try key(request.bearer("a"), rule) == key(request.bearer("a"), rule))
    let secrets = Secrets(fields: ["x-api-key"])
    #expect(
      try key(request.field("X-API-Key", "a"), rule, secrets: secrets)
        != key(request.field("X-API-Key", "b"), rule, secrets: secrets))
  }

  @Test func `a credential is compared byte for byte`() throws {
    #expect(try key(.get(url).bearer("\u{E9}")) != key(.get(url).bearer("e\u{301}")))
  }

  @Test func `a custom key can stand for any request, and equals only a key of the same type`() throws {
    #expect(
      try key(.get(url), .latest("search")) == key(.post("https://b.test", .text("1")), .latest("search")))
    #expect(try key(.get(url), .latest("search")) != key(.get(url), .latest("other")))
    #expect(try key(.get(url), .latest("search")) != key(.get(url)))
    #expect(RequestKey(1) == RequestKey(1))
    #expect(RequestKey(1) != RequestKey(1.0))
    #expect(RequestKey(1) != RequestKey("1"))
    #expect(RequestKey("search") == "search")
    #expect(RequestKey(RequestKey("search")) == "search")
  }

  @Test func `forms with equal parts are equal, whatever their boundaries`() throws {
    let form = MultipartForm().field("a", "1").bytes("b", Data("2".utf8))
    let same = MultipartForm().field("a", "1").bytes("b", Data("2".utf8))
    #expect(form.boundary != same.boundary)
    #expect(try key(.post(url, .multipart(form))) == key(.post(url, .multipart(same))))
    #expect(try key(.post(url, .multipart(form))) != key(.post(url, .multipart(form.field("a", "1")))))
    #expect(
      try key(.post(url, .multipart(form)))
        != key(.post(url, .multipart(MultipartForm().field("a", "1").field("b", "2")))))
  }

  @Test func `a file has the same key until it is written to`() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("a.txt")
    try folder.write("one", to: "a.txt")
    let plain = Request.put(url, .file(file))
    let form = Request.put(url, .multipart(MultipartForm().file("f", at: file)))
    let (first, firstForm) = (try key(plain), try key(form))
    #expect(try key(plain) == first)
    #expect(try key(form) == firstForm)
    try folder.write("longer", to: "a.txt")
    #expect(try key(plain) != first)
    #expect(try key(form) != firstForm)
    try FileManager.default.removeItem(at: file)
    let error = #expect(throws: RequestError.self) { try key(plain) }
    #expect(error?.code == .fileUnreadable)
    #expect(error?.reachedServer == false)
  }

  @Test func `a stream has no key, and the error says what to do`() throws {
    let request = Request.post(url, .stream(AsyncStream<Data> { $0.finish() }))
    let error = #expect(throws: RequestError.self) { try key(request) }
    #expect(error?.code == .invalidRequest)
    #expect(error?.message.contains("give the rule a key, or send bytes or a file") == true)
    #expect(throws: Never.self) { try key(request, .ignoring(key: "upload")) }
  }

  @Test func `no description shows the contents of a key`() throws {
    let request = Request.post("https://me:hidden@api.test/x?q=hidden", .text("hidden")).bearer("hidden")
    for key in [
      try key(request, .ignoring(fields: ["Authorization"]), identity: "hidden"), RequestKey("hidden"),
    ] {
      var dumped = ""
      dump(key, to: &dumped)
      for text in ["\(key)", String(reflecting: key), dumped, "\(RepeatRule.latest(key))"] {
        #expect(!text.contains("hidden"))
      }
    }
    #expect("\(try key(request))" == "POST https://***@api.test/x?…")
    #expect("\(RequestKey(7))" == "a chosen key (Int)")
  }
}
