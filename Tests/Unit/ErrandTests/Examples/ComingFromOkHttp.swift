// swift-format-ignore-file
import Errand
import ErrandTesting
import Foundation
import Testing

private struct ComingFromOkHttp {
  let folder: URL

  func caching() async throws {
    var configuration = ClientConfiguration()
    configuration.cache = .http(DiskResponseCache(folder: folder, limit: 50 << 20))
    let client = Client(configuration: configuration)

    let stored = try await client.send(
      .get(feedURL).cached(.onlyIfCached, .maxStale).accepting(200, 504))   // FORCE_CACHE
    if stored.status == 504 { print("not stored") }

    let feed = try await client.send(.get(feedURL))
    if feed.cacheStatus?.isHit == true {
      print("cacheResponse only: \(feed.cachedAt!)")
    } else if feed.cachedAt != nil {
      print("both: the server said 304")
    } else {
      print("networkResponse only")
    }
  }

  func limits() {
    var configuration = ClientConfiguration()
    configuration.limits = ConcurrencyLimits(total: 64, perOrigin: 5)   // Dispatcher
    configuration.connectTimeout = .seconds(10)
    configuration.timeout = .seconds(10)                                // readTimeout and writeTimeout
    configuration.deadline = .seconds(30)                               // callTimeout
    configuration.retry = .attempts(1)                                  // no attempt after the first
    configuration.redirects = RedirectPolicy(limit: 0)                  // followRedirects(false)
    _ = configuration
  }

  func ending(_ client: Client) {
    let page = RequestScope("profile")
    let photo = client.start(.get(photoURL), in: page)   // newCall(request).enqueue
    photo.cancel()
    page.cancelAll()                                     // every other call with the tag
  }
}

@Suite(.timeLimit(.minutes(1))) struct ComingFromOkHttpArticle {
  @Test func `the server of the article responds`() async throws {
    let server = try MockServer()
    server.script("GET", "/feed", [.response(status: 503), .response(body: "news")])
    let response = try await Client().send(.get(server.url("/feed")))
    #expect(response.text == "news")
    #expect(server.requests.map(\.path) == ["/feed", "/feed"])
  }

  @Test func `the cache's status tells the two responses of OkHttp apart`() async throws {
    let server = try MockServer()
    server.on("GET", "/feed") { request in
      request.fields["If-None-Match"] == nil
        ? .response(fields: ["ETag": "\"1\"", "Cache-Control": "max-age=600"], body: "news")
        : .response(status: 304, fields: ["ETag": "\"1\""])
    }
    var configuration = ClientConfiguration()
    configuration.cache = .http()
    let client = Client(configuration: configuration)
    let feed = Request.get(server.url("/feed"))

    await #expect { try await client.send(feed.cached(.onlyIfCached)) } throws: { error in
      (error as? RequestError)?.status == 504
    }
    #expect(try await client.send(feed.cached(.onlyIfCached, .maxStale).accepting(200, 504)).status == 504)
    #expect(server.count("/feed") == 0)

    let first = try await client.send(feed)
    #expect(first.cacheStatus?.isHit == false && first.cachedAt == nil)
    let second = try await client.send(feed)
    #expect(second.cacheStatus?.isHit == true && second.cachedAt != nil)
    let third = try await client.send(feed.cached(.revalidate))
    #expect(third.cacheStatus?.isHit == false && third.cachedAt != nil && third.text == "news")
    #expect(try await client.send(feed.cached(.onlyIfCached, .maxStale)).text == "news")
    #expect(server.count("/feed") == 2)

    let known = feed.field("If-None-Match", "\"1\"").accepting(200, 304)
    #expect(try await client.send(known).status == 304)
    #expect(server.count("/feed") == 2)
  }

  @Test func `a response is stored with the rules that an interceptor gives it`() async throws {
    struct Rewriting: Interceptor {
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        let response = try await next(request)
        return Response(
          status: response.status, fields: ["Cache-Control": "max-age=60"], data: response.data, url: response.url)
      }
    }
    let server = try MockServer()
    server.on("GET", "/feed") { _ in .response(fields: ["Cache-Control": "no-store"], body: "news") }
    for isAroundCall in [true, false] {
      var configuration = ClientConfiguration()
      configuration.cache = .http()
      if isAroundCall {
        configuration.interceptors = [Rewriting()]
      } else {
        configuration.attemptInterceptors = [Rewriting()]
      }
      let client = Client(configuration: configuration)
      _ = try await client.send(.get(server.url("/feed")))
      #expect(try await client.send(.get(server.url("/feed"))).cacheStatus?.isHit == true)
    }
    #expect(server.count("/feed") == 2)
  }
}
