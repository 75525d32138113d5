import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore

@Suite struct CachedResponseTests {
  private func kept(
    _ fields: HTTPFields = [:], url: String = "https://example.com/", secrets: Secrets = Secrets()
  ) throws -> CachedResponse {
    CachedResponse(
      status: 200, fields: fields, data: Data(), url: try #require(URL(string: url)), date: Date(),
      secrets: secrets)
  }

  @Test(arguments: [429, 500, 502, 503, 504, 599])
  func `a response from a server in trouble is not cached, and does not replace the cached one`(status: Int)
    async throws
  {
    let stage = Stage { .response(status: $0.index == 1 ? status : 200, body: "\($0.index)") }
    let request = Request.get("http://a.test/").cached(as: "a", .networkOnly).acceptingAnyStatus()
    for code in [200, status] { #expect(try await stage.client.send(request).status.code == code) }
    #expect(try await stage.client.cachedResponse(to: request)?.text == "0")
  }

  @Test(arguments: [404, 410, 403])
  func `an accepted response that describes the resource is cached`(status: Int) async throws {
    let stage = Stage { _ in .response(status: status) }
    let request = Request.get("http://a.test/").cached(as: "a").acceptingAnyStatus()
    for _ in 0..<2 { #expect(try await stage.client.send(request).status.code == status) }
    #expect(stage.stub.requests.count == 1)
  }

  @Test func `a response from a server in trouble that an older version has cached is not used`() async throws
  {
    let cache = MemoryResponseCache()
    let stage = Stage.configured { $0.cache = cache }.responding { _ in .response() }
    await cache.write(
      CachedResponse(
        status: 503, fields: [:], data: Data(), url: URL(string: "http://a.test/")!, date: Date()),
      under: CacheKey("a"))
    let request = Request.get("http://a.test/").cached(as: "a").acceptingAnyStatus()
    #expect(try await stage.client.send(request).status == 200)
  }

  @Test func `a cached response contains no secret header field`() throws {
    var fields: HTTPFields = ["Set-Cookie": "a=b", "ETag": "c", "set-cookie": "d", "X-Token": "e"]
    fields.append("X-Marked", "f", isSecret: true)
    let response = try kept(fields, secrets: Secrets(fields: ["x-token"]))
    #expect(response.fields.map(\.name) == ["ETag"])
  }

  @Test func `a cached response contains no secret of the URL`() throws {
    let response = try kept(url: "https://me:word@example.com/a?token=abc&page=2#access_token=def")
    #expect(response.url.absoluteString == "https://***@example.com/a?token=***&page=2#access_token=***")
    #expect(
      try kept(url: "https://example.com/a?page=2").url.absoluteString == "https://example.com/a?page=2")
  }

  @Test func `only a complete response in memory can be cached`() throws {
    let url = try #require(URL(string: "https://example.com/"))
    for status in [206, 304] {
      #expect(CachedResponse(Response(status: HTTPStatus(status), url: url), date: Date()) == nil)
    }
    let forbidden = Response(
      status: 200, fields: ["Cache-Control": "no-store"], data: Data("b".utf8), url: url)
    #expect(CachedResponse(forbidden, date: Date()) == nil)
    var response = Response(status: 200, fields: ["ETag": "a"], data: Data("b".utf8), url: url)
    let cached = try #require(CachedResponse(response, date: Date()))
    #expect(cached.response.status == 200)
    #expect(cached.response.fields == response.fields)
    #expect(cached.response.data == response.data)
    #expect(cached.response.url == url)
    response.body = .file(url)
    #expect(CachedResponse(response, date: Date()) == nil)
  }

  @Test func `the age of a cached response is negative if the clock was set back, and is bounded`() throws {
    let response = try kept()
    #expect(response.age(at: response.date) == .zero)
    #expect(response.age(at: response.date.addingTimeInterval(60)) == .seconds(60))
    #expect(response.age(at: response.date.addingTimeInterval(-60)) == .seconds(-60))
    #expect(response.age(at: .distantFuture) == .longest)
    #expect(response.age(at: .distantPast) == .zero - .longest)
  }
}
