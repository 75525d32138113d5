import ErrandCurl
import ErrandServing
import ErrandTesting
import Foundation
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

/// Sign-ins in a browser, whose redirect a port of this machine receives (RFC 8252).
@Suite(.timeLimit(.minutes(1))) struct LoopbackSignInTests {
  private let server: MockServer
  private let client: Client
  private let clock = VirtualClock()

  init() throws {
    server = try MockServer()
    var curl = CurlConfiguration()
    curl.proxy = .none
    var configuration = ClientConfiguration()
    configuration.clock = clock
    configuration.timeout = .seconds(100)
    client = Client(transport: CurlTransport(configuration: curl), configuration: configuration)
    server.on("GET", "/authorize") { request in
      let items = FormItems(queryOf: request.target)
      return .redirect(302, to: "\(items["redirect_uri"] ?? "")?code=c1&state=\(items["state"] ?? "")")
    }
    server.on("POST", "/token") { _ in .response(body: #"{"access_token":"a1","refresh_token":"r1"}"#) }
  }

  private var method: OAuth2 {
    var method = OAuth2(tokenURL: server.url("/token"), clientID: "app")
    method.authorizationURL = server.url("/authorize")
    return method
  }

  private func code(_ error: (any Error)?) -> SignInError.Code? { (error as? SignInError)?.code }

  private func failure(_ result: Result<OAuth2.Tokens, any Error>) -> (any Error)? {
    if case .failure(let error) = result { error } else { nil }
  }

  private func failure<Value>(_ work: () async throws -> Value) async -> (any Error)? {
    do { _ = try await work() } catch { return error }
    return nil
  }

  /// Returns the redirect of a page's URL.
  private static func redirect(of url: URL) -> (url: String, state: String) {
    let items = FormItems(queryOf: url.absoluteString)
    return (items["redirect_uri"] ?? "", items["state"] ?? "")
  }

  @Test func `the browser's redirect signs in, and frees the port`() async throws {
    let pages = Pages()
    let tokens = try await method.authorize(over: client) { [client] url in
      // The redirect cancels the closure's task, but not this one.
      let page = try await Task { try await client.send(.get(url)) }.value
      pages.add(page.text, Self.redirect(of: url).url)
    }
    #expect(tokens.accessToken == "a1" && tokens.refreshToken == "r1")
    let form = FormItems(queryOf: "?\(server.requests.last?.text ?? "")")
    #expect(form["code"] == "c1" && form["grant_type"] == "authorization_code" && form["client_id"] == "app")
    #expect(form["redirect_uri"] == pages.redirect)
    let page = FormItems(queryOf: server.requests[0].target)
    #expect(page["code_challenge"] == OAuth2.challenge(of: form["code_verifier"] ?? ""))
    #expect(pages.text.contains("You can close this page."))
    let error = await failure {
      try await client.send(.get(pages.redirect).attempts(1))
    }
    #expect((error as? RequestError)?.code == .cannotConnect)
  }

  private final class Pages: Sendable {
    private let pages = Locked(("", ""))
    func add(_ text: String, _ redirect: String) { pages.withLock { $0 = (text, redirect) } }
    var text: String { pages.withLock { $0.0 } }
    var redirect: String { pages.withLock { $0.1 } }
  }

  @Test func `other requests to the port change nothing`() async throws {
    var statuses: [Int] = []
    let tokens = try await method.authorize(over: client, path: "/done") { url in
      let (redirect, state) = Self.redirect(of: url)
      let origin = redirect.replacing("/done", with: "")
      #expect(redirect.hasPrefix("http://127.0.0.1:") && redirect.hasSuffix("/done"))
      let requests: [Request] = [
        .get("\(origin)/favicon.ico"), .get("\(origin)/?code=evil&state=\(state)"), .get(redirect),
        .get("\(redirect)?code=evil&state=other"), .get("\(redirect)?error=access_denied&state=other"),
        .post("\(redirect)?code=evil&state=\(state)"), .head("\(redirect)?code=evil&state=\(state)"),
        // A page of another name that leads to this machine.
        .get("\(redirect)?code=evil&state=\(state)").field("Host", "evil.test"),
        .get("\(redirect)?code=good&state=\(state)"),
        // Only the first redirect counts.
        .get("\(redirect)?code=late&state=\(state)"),
      ]
      statuses = try await Task { [client] in
        var statuses: [Int] = []
        for request in requests {
          statuses.append(try await client.send(request.acceptingAnyStatus()).status.code)
        }
        return statuses
      }.value
    }
    #expect(statuses == [404, 404, 400, 400, 400, 405, 405, 400, 200, 200])
    #expect(tokens.accessToken == "a1")
    #expect(FormItems(queryOf: "?\(server.requests.last?.text ?? "")")["code"] == "good")
  }

  @Test func `a denied access is an error`() async throws {
    server.on("GET", "/authorize") { request in
      let items = FormItems(queryOf: request.target)
      return .redirect(
        302, to: "\(items["redirect_uri"] ?? "")?error=access_denied&state=\(items["state"] ?? "")")
    }
    let error = await failure {
      try await method.authorize(over: client) { url in try await client.send(.get(url)) }
    }
    #expect(code(error) == .denied && server.count("/token") == 0)
  }

  @Test func `a user who does not sign in is not waited for longer than the limit`() async throws {
    let task = Task { [method, client] in
      try await method.authorize(over: client, within: .seconds(60)) { _ in }
    }
    try await clock.waitForSleepers()
    await clock.advance(by: .seconds(60))
    #expect(code(failure(await task.result)) == .expired)
  }

  @Test(arguments: ["/", "/callback/", "/a//b"])
  func `the redirect is taken at any path`(path: String) async throws {
    let tokens = try await method.authorize(over: client, path: path) { url in
      _ = try await client.send(.get(url))
    }
    #expect(tokens.accessToken == "a1")
  }

  @Test func `the redirect ends the closure that shows the page`() async throws {
    var isCancelled = false
    let tokens = try await method.authorize(over: client) { [client, clock] url in
      _ = try await Task { try await client.send(.get(url)) }.value
      do { try await clock.sleep(for: .seconds(3600)) } catch { isCancelled = true }
    }
    #expect(tokens.accessToken == "a1" && isCancelled)
  }

  @Test func `the limit counts while the page is shown`() async throws {
    let task = Task { [method, client, clock] in
      try await method.authorize(over: client, within: .seconds(60)) { _ in
        try await clock.sleep(for: .seconds(3600))
      }
    }
    try await clock.waitForSleepers(2)
    await clock.advance(by: .seconds(60))
    #expect(code(failure(await task.result)) == .expired)
  }

  @MainActor @Test func `the page is shown on the caller's actor`() async throws {
    let shown = Shown()
    _ = await failure {
      try await method.authorize(over: client, within: .zero) { url in
        MainActor.assertIsolated()
        shown.count += 1
      }
    }
    #expect(shown.count == 1)
  }

  /// Not sendable.
  private final class Shown { var count = 0 }

  @Test func `a token endpoint without https is an error before the page is shown`() async throws {
    var method = method
    method.tokenURL = try #require(URL(string: "http://192.0.2.2:9/token"))
    let error = await failure {
      try await method.authorize(over: client) { _ in Issue.record("The page was shown.") }
    }
    #expect(code(error) == .invalidConfiguration)
  }

  @Test func `a cancelled task ends the sign-in and frees the port`() async throws {
    let redirects = Pages()
    let task = Task { [method, client] in
      try await method.authorize(over: client) { url in redirects.add("", Self.redirect(of: url).url) }
    }
    try await clock.waitForSleepers()
    task.cancel()
    #expect(failure(await task.result)?.isCancellation == true)
    let error = await failure {
      try await client.send(.get(redirects.redirect).attempts(1))
    }
    #expect((error as? RequestError)?.code == .cannotConnect)
  }

  private struct NoBrowser: Error {}

  @Test func `the error of the closure that opens the page is thrown, and a port in use is an error`()
    async throws
  {
    let thrown = await failure { try await method.authorize(over: client) { _ in throw NoBrowser() } }
    #expect(thrown is NoBrowser)
    let port = server.port
    let error = await failure {
      try await method.authorize(over: client, port: port) { _ in }
    }
    #expect(code(error) == .invalidConfiguration)
    for path in ["", "callback", "/call back", "/a?b", "/a/../b", "/."] {
      let error = await failure {
        try await method.authorize(over: client, path: path) { _ in }
      }
      #expect(code(error) == .invalidConfiguration, "\(path)")
    }
  }
}
