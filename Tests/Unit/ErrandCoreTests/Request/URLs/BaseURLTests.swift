import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite(.timeLimit(.minutes(1))) struct BaseURLTests {
  private func stage(_ base: String?, _ change: @escaping (inout ClientConfiguration) -> Void = { _ in })
    -> Stage
  {
    Stage(
      configured: {
        $0.baseURL = base.flatMap { URL(string: $0) }
        change(&$0)
      }, { _ in .response() })
  }

  private func sent(_ stage: Stage) -> [String] { stage.stub.requests.map(\.url.absoluteString) }

  @Test(arguments: [
    ("https://h", "users", "https://h/users"), ("https://h/", "/users", "https://h/users"),
    ("https://h/v1", "users", "https://h/v1/users"), ("https://h/v1/", "users/7/", "https://h/v1/users/7/"),
    ("https://h/v1", "/users?a=1#top", "https://h/v1/users?a=1#top"),
    ("https://h/v1", "?a=1", "https://h/v1?a=1"),
    ("http://h:8080/v1", "a%2Fb", "http://h:8080/v1/a%2Fb"), ("https://h/v1", "a//b", "https://h/v1/a//b"),
    ("https://h/a%20b", "c|d", "https://h/a%20b/c%7Cd"), ("https://h/v1", "a:b", "only http and https"),
    ("https://h/v1", "/a:b", "https://h/v1/a:b"), ("https://h/v1", "/", "https://h/v1/"),
  ])
  func `a relative URL is resolved below the base`(base: String, relative: String, whole: String) async throws
  {
    let stage = stage(base)
    do {
      try await stage.client.send(.get(relative))
      #expect(sent(stage) == [whole])
    } catch let error as RequestError {
      #expect(error.message.contains(whole), "\(error)")
    }
  }

  @Test func `an absolute URL is not changed by the base`() async throws {
    let stage = stage("https://h/v1")
    for url in ["https://other.test/x", "HTTPS://h/x", "https://h"] {
      try await stage.client.send(.get(url))
      #expect(sent(stage).last == url)
    }
    try await stage.client.send(.get("http://h/v1/../x"))
    #expect(sent(stage).last == "http://h/x")
  }

  @Test(arguments: [
    "..", "../x", "a/../../x", "a/..", "./x", "%2e%2e/x", "a/%2E./x", "/../x", "//other.test/x", "///x", "",
    "a/..;/x", "..;v=1", "%2e.;x/y",
  ])
  func `a relative URL that leads elsewhere is refused`(relative: String) async {
    let stage = stage("https://h/v1")
    await #expect {
      try await stage.client.send(.get(relative))
    } throws: {
      ($0 as? RequestError)?.code == .invalidRequest
    }
    #expect(stage.stub.requests.isEmpty, "\(sent(stage))")
  }

  @Test func `a value that is not a valid segment is refused with a base, too`() async {
    let stage = stage("https://h/v1")
    for value in ["..", ""] {
      let error = await #expect(throws: RequestError.self) {
        try await stage.client.send(.delete(.path("users/\(value)")))
      }
      #expect(error?.code == .invalidRequest)
    }
    #expect(stage.stub.requests.isEmpty)
  }

  @Test func `a path with values is sent below the base`() async throws {
    let stage = stage("https://h/v1")
    try await stage.client.send(.get(.path("users/\("a/b")/posts"), query: ["q": "x y"]))
    #expect(sent(stage) == ["https://h/v1/users/a%2Fb/posts?q=x%20y"])
  }

  @Test func `without a base the error for a relative URL says what to do`() async {
    let error = await #expect(throws: RequestError.self) { try await stage(nil).client.send(.get("users")) }
    #expect(error?.code == .invalidRequest)
    #expect(error?.message.contains("relative") == true)
    #expect(error?.message.contains("baseURL") == true)
  }

  @Test(arguments: [
    "ftp://h/", "v1", "https://h/?key=1", "https://h/#top", "file:///x", "https://",
  ])
  func `the error for an unusable base names the base`(base: String) async {
    let stage = stage(base)
    let error = await #expect(throws: RequestError.self) { try await stage.client.send(.get("users")) }
    #expect(error?.message.contains("baseURL") == true, "\(error?.message ?? "")")
    #expect(stage.stub.requests.isEmpty)
  }

  @Test func `a user in the base URL becomes basic authentication, and no description shows it`() async throws
  {
    let stage = stage("https://me:hush@h/v1")
    let call = stage.client.start(.get("users"))
    _ = try await call.value
    #expect(sent(stage) == ["https://h/v1/users"])
    #expect(stage.stub.requests[0].fields["Authorization"] == "Basic bWU6aHVzaA==")
    #expect(!"\(call)".contains("hush"))
  }

  private final class Told: Interceptor {
    let urls = Locked<[String]>([])

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      urls.withLock { $0.append("\(request)") }
      return try await next(next.attempt == 0 ? request : .get("token"))
    }
  }

  @Test func `interceptors see the complete URL, and may send relative ones`() async throws {
    let (around, attempt) = (Told(), Told())
    let stage = stage("https://h/v1") {
      $0.interceptors = [around]
      $0.attemptInterceptors = [attempt]
    }
    let response = try await stage.client.send(.get("users"))
    #expect(around.urls.withLock { $0 } == ["GET https://h/v1/users"])
    #expect(attempt.urls.withLock { $0 } == ["GET https://h/v1/users"])
    #expect(response.url.absoluteString == "https://h/v1/token")
  }

  private struct PassesOn: Interceptor {
    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      try await next(.post("next", json: [1, 2]))
    }
  }

  @Test(arguments: [true, false])
  func
    `an interceptor sees the complete URL and the encoded body of the request that the one before it sends`(
      aroundCall: Bool
    ) async throws
  {
    final class Sees: Interceptor {
      let seen = Locked<[String]>([])

      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        seen.withLock { $0.append("\(request.url?.absoluteString ?? "none"), \(request.body)") }
        return try await next(request)
      }
    }
    let sees = Sees()
    let stage = stage("https://h/v1") {
      if aroundCall {
        $0.interceptors = [PassesOn(), sees]
      } else {
        $0.attemptInterceptors = [PassesOn(), sees]
      }
    }
    try await stage.client.send(.get("users"))
    #expect(sees.seen.withLock { $0 } == ["https://h/v1/next, 5 bytes"])
    #expect(sent(stage) == ["https://h/v1/next"])
    #expect(stage.stub.requests.map(\.text) == ["[1,2]"])
  }

  @Test(arguments: ["x", "7", "a:b", "http", "a+b"])
  func `a path may begin with a value that a colon follows`(value: String) async throws {
    let stage = stage("https://h/v1")
    try await stage.client.send(.post(.path("\(value):cancel")).query("a", "b"))
    #expect(sent(stage) == ["https://h/v1/\(PercentEncoding.query(value)):cancel?a=b"])
  }

  @Test(arguments: ["..", ".", ""])
  func `a path whose empty or dot value is followed by a colon or parameters is refused`(value: String) async
  {
    let stage = stage("https://h/v1")
    for path: URLPath in ["\(value):cancel", "f/\(value);v=1", "f/\(value),x"] {
      let error = await #expect(throws: RequestError.self) {
        try await stage.client.send(.delete(.path(path)))
      }
      #expect(error?.code == .invalidRequest)
    }
    #expect(stage.stub.requests.isEmpty, "\(sent(stage))")
  }

  @Test func `a relative URL and the equivalent absolute URL make the same request`() async throws {
    let stage = stage("https://h/v1")
    try await stage.client.send(.get("users").ignoringRepeats())
    await #expect {
      try await stage.client.send(.get("https://h/v1/users").ignoringRepeats())
    } throws: {
      ($0 as? RequestError)?.code == .ignoredRepeat
    }
  }

  @Test func `calls and errors name the complete URL`() async {
    let stage = Stage(
      configured: { $0.baseURL = URL(string: "https://h/v1") },
      { _ in .fail(.connectionLost, reachedServer: true) })
    let call = stage.client.start(.get("users").bestEffort())
    #expect("\(call)".contains("https://h/v1/users"))
    #expect(await call.result.requestError?.url == "https://h/v1/users")
  }

  @Test func `the cache stores a relative request under its complete URL`() async throws {
    let stage = stage("https://h/v1")
    try await stage.client.send(.get("users").cached(as: "users"))
    #expect(try await stage.client.cachedResponse(to: .get("https://h/v1/users").cached(as: "users")) != nil)
    #expect(try await stage.client.cachedResponse(to: .get("users").cached(as: "users")) != nil)
    try await stage.client.removeCachedResponse(to: .get("users").cached(as: "users"))
    #expect(try await stage.client.cachedResponse(to: .get("users").cached(as: "users")) == nil)
  }
}
