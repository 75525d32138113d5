// swift-format-ignore-file
import Errand
import Foundation

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

  func adapting() {
    struct APIKey: Interceptor {
      let key: String

      func intercept(_ request: Request, next: Next) async throws -> Response {
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
