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

  func adapting(_ file: URL, _ access: String, _ refresh: String) async throws {
    struct AppVersion: Interceptor {
      let version: String

      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        try await next(request.field("X-App-Version", version))
      }
    }

    var configuration = ClientConfiguration()
    configuration.attemptInterceptors = [AppVersion(version: "2.1")]
    configuration.retry = .attempts(5)

    let session = CredentialSession(OAuth2(tokenURL: tokenURL, clientID: "app"), store: .file(file))
    configuration.baseURL = URL(string: "https://api.example.com")
    configuration.authentication = Authentication(session)
    let client = Client(configuration: configuration)
    try await session.signIn(OAuth2.Tokens(accessToken: access, refreshToken: refresh), identity: "user 7")
    _ = client
  }
}
