// swift-format-ignore-file
import Errand
import ErrandURLProtocol
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// As Alamofire declares them.
private final class Session {
  init(configuration: URLSessionConfiguration) {}
  @discardableResult func request(_ request: URLRequest) -> Session { self }
}

private struct AlamofireExtension<Base> {
  let base: Base
}

extension URLSessionConfiguration {
  fileprivate static var af: AlamofireExtension<URLSessionConfiguration>.Type { AlamofireExtension.self }
}

extension AlamofireExtension where Base: URLSessionConfiguration {
  static var `default`: URLSessionConfiguration { .default }
}

private struct ComingFromAlamofire {
  let photo: URL
  let key: String

  func sending(_ client: Client) async throws {
    let users = try await client
      .send(.get("https://api.example.com/users", query: ["page": "2"]))
      .decode([User].self)

    let form = MultipartForm().field("title", "Cat").file("photo", at: photo)
    try await client.send(.post("https://api.example.com/photos", .multipart(form))) { progress in
      print(progress.sent, progress.sentTotal ?? -1)
    }
    _ = users
  }

  func staying(_ client: Client, _ url: URL) {
    let configuration = URLSessionConfiguration.af.default
    configuration.protocolClasses = [ErrandURLProtocol.using(client)]
    let session = Session(configuration: configuration)

    let feed = URLRequest(url: url).errand { $0.shared(within: .seconds(3)) }
    session.request(feed)
  }

  func adapting() {
    struct APIKey: Interceptor {
      let key: String

      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        try await next(request.field("X-Api-Key", key))
      }
    }

    var configuration = ClientConfiguration()
    configuration.attemptInterceptors = [APIKey(key: key)]
    configuration.retry = .attempts(5)
    let client = Client(configuration: configuration)
    _ = client
  }
}
