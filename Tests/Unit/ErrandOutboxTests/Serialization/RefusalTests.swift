import ErrandAuthentication
import ErrandCore
import ErrandCurl
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox

/// A request that cannot be stored is refused before anything is written, and the error says what to do
/// instead.
@Suite struct RefusalTests {
  private let harness: StorageHarness
  private static let secret = "s3cr3t-value"

  init() throws { harness = try StorageHarness() }

  private func refusal(_ request: Request, secrets: Secrets = Secrets()) async -> OutboxError? {
    do {
      let item = OutboxItem(id: .new(), request: request, key: UUID().uuidString)
      _ = try await harness.storage(secrets: secrets).store([item], used: { _ in [] }, commit: isNotReached)
      return nil
    } catch {
      return error as? OutboxError
    }
  }

  private func isNotReached(_ rows: [NewRow]) { Issue.record("\(rows.count) rows were about to be stored") }

  private func expectRefused(
    _ request: Request, secrets: Secrets = Secrets(), naming words: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let error = await refusal(request, secrets: secrets)
    #expect(error?.code == .notStorable, sourceLocation: sourceLocation)
    let message = error?.message ?? ""
    for word in words { #expect(message.contains(word), "\(message)", sourceLocation: sourceLocation) }
    #expect(!message.contains(Self.secret), "\(message)", sourceLocation: sourceLocation)
    #expect(!FileManager.default.fileExists(atPath: harness.outbox.path), sourceLocation: sourceLocation)
  }

  private var post: Request { .post("https://example.com/a", .bytes(.seeded(100_000))) }

  @Test(arguments: ["Authorization", "proxy-authorization", "COOKIE", "Set-Cookie"])
  func `the refusal of a credential's header field names the field, and the interceptor that can add it`(
    name: String
  )
    async
  {
    await expectRefused(
      post.field(name, Self.secret), naming: name, "attemptInterceptors", "POST https://example.com/a")
  }

  @Test func `a request that expires before it is stored is refused`() async {
    await expectRefused(post.deadline(.zero), naming: "deadline", "longer")
    await expectRefused(post.timeout(.milliseconds(-1)), naming: "time-out", "longer")
    await expectRefused(post.connectTimeout(.zero), naming: "connect time-out", "longer")
  }

  @Test func `a header field that is marked as secret, or named by the client's secrets, is refused`() async {
    await expectRefused(
      post.field("X-Key", Self.secret, isSecret: true), naming: "X-Key", "attemptInterceptors")
    await expectRefused(
      post.field("x-sign", Self.secret), secrets: Secrets(fields: ["X-Sign"]), naming: "x-sign")
    await expectRefused(post.bearer(Self.secret), naming: "Authorization")
  }

  @Test(arguments: [
    "https://user:\(secret)@example.com/", "https://\(secret)@example.com/",
    "https://:\(secret)@example.com/",
  ])
  func `a user or a password in the URL is refused`(url: String) async {
    await expectRefused(
      .get(url), naming: "user or a password", "attemptInterceptors", "https://***@example.com/")
  }

  @Test(arguments: [
    "?a=1&token=\(secret)", "?API_KEY=\(secret)&b=2", "#access_token=\(secret)", "?a=1#b&sig=\(secret)",
  ])
  func `the refusal of a secret item in the query or the fragment names the item`(query: String) async {
    await expectRefused(
      .get("https://example.com/a\(query)"), naming: "the query item", "attemptInterceptors")
  }

  @Test(arguments: [
    "proxy/https://u:\(secret)@h/x", "redir?https://u:\(secret)@h/", "https%3A%2F%2Fu%3A\(secret)%40h",
    "?u=https://u:\(secret)@h/", "#https://u:\(secret)@h/",
  ])
  func `a user or a password in a URL within the URL is refused`(rest: String) async {
    await expectRefused(.get("https://example.com/\(rest)"), naming: "is a secret", "attemptInterceptors")
  }

  @Test(arguments: [
    "https://u:\(secret)@h/", "https%3A%2F%2Fu%3A\(secret)%40h", "see https://h/?token=\(secret)",
  ])
  func `a URL with a secret in any header field is refused`(value: String) async {
    await expectRefused(post.field("X-Forward", value), naming: "X-Forward", "URL", "attemptInterceptors")
  }

  @Test func `a query item that the client's secrets do not name is stored`() async throws {
    let request = Request.get("https://example.com/a?key=1&my=\(Self.secret)")
    await expectRefused(request, secrets: Secrets(queryItems: ["MY"]), naming: "my")
    var none = Secrets()
    none.queryItems = []
    let storage = harness.storage(secrets: none)
    let item = OutboxItem(id: .new(), request: request, key: UUID().uuidString)
    let rows = try await storage.store([item], used: { Set($0) }, commit: { $0 })
    #expect(try storage.request(from: rows[0].content, of: rows[0].id).url == request.url)
  }

  @Test func `the refusal of a stream says what to use instead`() async {
    let stream = RequestBody.stream(AsyncStream<Data> { $0.finish() })
    await expectRefused(.post("https://example.com", stream), naming: "stream", "RequestBody.file")
  }

  @Test func `a body that is opened by a closure is refused`() async throws {
    let body = RequestBody.source(length: 1, contentType: nil) { throw CancellationError() }
    await expectRefused(.post("https://example.com", body), naming: "file")
  }

  @Test func `an option that only this process can apply is refused`() async {
    let call = Client(transport: CurlTransport()).start(.get("not a url"))
    await expectRefused(post.validate { _ in }, naming: "check", "interceptors")
    await expectRefused(post.after(call), naming: "lane")
    await expectRefused(post.ignoringRepeats(), naming: "repeats")
    await expectRefused(post.shared(), naming: "repeats")
    await expectRefused(post.latest("a"), naming: "repeats")
    await expectRefused(post.rateLimited(by: "a", .unlimited), naming: "rate limit")
    await expectRefused(post.invalidating("a"), naming: "invalidating")
    await expectRefused(post.cached(as: "a"), naming: "cached")
    _ = await call.result
  }

  @Test func `a request that could not be sent is refused with the error that sending would give`()
    async throws
  {
    struct Unencodable: Encodable {
      func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(1, .init(codingPath: [], debugDescription: "no"))
      }
    }
    let client = Client(transport: CurlTransport())
    let requests: [Request] = [
      .get("/relative"), .get("ftp://example.com"), .get("https://exa mple.com"), .get(""),
      .post("https://example.com", json: Unencodable()), Request("BAD METHOD", "https://example.com"),
      post.field("Bad Name", "1"), post.field("X", "a\r\nb"), post.field("Content-Length", "1"),
      post.field("Transfer-Encoding", "chunked"),
    ]
    for request in requests {
      let sent = await #expect(throws: RequestError.self) { try await client.send(request) }
      await expectRefused(request, naming: sent?.description ?? "?")
    }
    await client.shutdown(within: .seconds(1))
  }

  @Test func `a request's activity does not cause a refusal`() async throws {
    let row = try await harness.row(.get("https://example.com").activity(RequestActivity("x")))
    #expect(try harness.request(row).options.activity == nil)
  }
}
