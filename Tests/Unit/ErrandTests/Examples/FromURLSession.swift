// swift-format-ignore-file
import Errand
import ErrandTesting
import ErrandURLProtocol
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private struct FromURLSession {
  let url: URL
  let searchURL: URL
  let orderURL: URL
  let order: Data

  func session(_ client: Client) -> URLSession {
    let configuration = URLSessionConfiguration.default
    configuration.protocolClasses = [ErrandURLProtocol.using(client)]
    let session = URLSession(configuration: configuration)
    return session
  }

  func requests(_ session: URLSession) async throws {
    let feed = URLRequest(url: url).errand { $0.shared(within: .seconds(3)) }
    let (data, response) = try await session.data(for: feed)

    let search = URLRequest(url: searchURL).errand { $0.latest("search").attempts(2).deadline(.seconds(20)) }
    let picture = URLRequest(url: url).errand { $0.cached(as: "picture").priority(.utility) }

    let anyAge = URLRequest(url: url).errand { $0.cached(.maxStale) }                   // returnCacheDataElseLoad
    let stored = URLRequest(url: url).errand { $0.cached(.onlyIfCached, .maxStale) }    // returnCacheDataDontLoad
    _ = (data, response, search, picture, anyAge, stored)
  }

  func failures(_ session: URLSession) async throws {
    do {
      _ = try await session.data(from: url)
    } catch let error as URLError where error.code == .cancelled {
      // The task, the client or a newer request: error.userInfo has the reason.
    } catch let error as URLError {
      let reason = error.userInfo[NSUnderlyingErrorKey] as? RequestError
      print(error.code, reason ?? error)
    }
  }

  func outbox(_ client: Client, _ outbox: Outbox) async throws {
    let configuration = URLSessionConfiguration.default
    configuration.protocolClasses = [ErrandURLProtocol.using(client, outbox: outbox)]
    let session = URLSession(configuration: configuration)

    var request = URLRequest(url: orderURL)
    request.httpMethod = "POST"
    request.httpBody = order
    let (_, response) = try await session.data(for: request.errandOutbox(lane: "orders"))
    let id = (response as? HTTPURLResponse)?.errandOutboxID
    _ = id
  }

  func timing(_ response: HTTPURLResponse) {
    print(response.errandTiming ?? "")
  }
}

@Suite(.timeLimit(.minutes(1))) struct FromURLSessionArticle {
  @Test func `a session's policies and options act on the client's cache as the table says`() async throws {
    let server = try MockServer()
    server.on("GET", "/feed") { request in
      request.fields["If-None-Match"] == nil
        ? .response(fields: ["ETag": "\"1\"", "Cache-Control": "max-age=0"], body: "news")
        : .response(status: 304, fields: ["ETag": "\"1\""])
    }
    var configuration = ClientConfiguration()
    configuration.cache = .http()
    let sessionConfiguration = URLSessionConfiguration.ephemeral
    sessionConfiguration.protocolClasses = [ErrandURLProtocol.using(Client(configuration: configuration))]
    let session = URLSession(configuration: sessionConfiguration)
    let feed = URLRequest(url: server.url("/feed"))
    func status(_ request: URLRequest) async throws -> Int? {
      (try await session.data(for: request).1 as? HTTPURLResponse)?.statusCode
    }
    func stored(_ request: URLRequest) -> URLRequest { request.errand { $0.cached(.onlyIfCached, .maxStale) } }

    #expect(try await status(stored(feed)) == 504)
    #expect(server.count("/feed") == 0)
    #expect(try await status(feed) == 200)
    #expect(try await status(feed.errand { $0.cached(.maxStale) }) == 200)
    #expect(try await status(stored(feed)) == 200)
    #expect(server.count("/feed") == 1)
    for policy in [
      URLRequest.CachePolicy.reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData,
      .reloadRevalidatingCacheData,
    ] {
      var reloading = feed
      reloading.cachePolicy = policy
      #expect(try await status(reloading) == 200)
    }
    #expect(server.requests.map { $0.fields["If-None-Match"] != nil } == [false, true, true, true])
  }
}
