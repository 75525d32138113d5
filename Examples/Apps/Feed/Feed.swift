import Errand
import Foundation

struct Post: Codable, Hashable, Sendable, Identifiable {
  let id: Int
  let title: String
  let author: String
  let avatar: URL
}

struct Comment: Codable, Hashable, Sendable {
  let text: String
}

struct NewPost: Codable, Sendable {
  let title: String
}

/// The requests of the app. Each request has its options here, and the pages only decide which scope owns it.
struct Feed: Sendable {
  let client: Client

  init(_ url: URL, transport: (any Transport)? = nil) {
    var configuration = ClientConfiguration()
    configuration.baseURL = url
    client =
      transport.map { Client(transport: $0, configuration: configuration) }
      ?? Client(configuration: configuration)
  }

  /// Loads the posts. A pull during another load, or within 3 s, shares its request.
  func posts() async throws -> [Post] {
    try await client.send(.get("posts").priority(.userInitiated).shared(within: .seconds(3))).decode()
  }

  /// Searches the posts, and cancels earlier searches.
  func search(_ text: String) async throws -> [Post] {
    try await client.send(.get("posts", query: ["q": text]).priority(.userInitiated).latest("search"))
      .decode()
  }

  func comments(on post: Post) async throws -> [Comment] {
    try await client.send(.get(.path("posts/\(post.id)/comments")).priority(.userInitiated)).decode()
  }

  /// Publishes a post. A second tap within 3 s is ignored.
  func publish(_ post: NewPost, _ activity: RequestActivity) async throws {
    try await client.send(
      .post("posts", json: post).mustFinishFirst(activity, text: "Publishing").ignoringRepeats(
        within: .seconds(3)))
  }

  static func avatar(of post: Post) -> Request {
    .get(post.avatar).cached(as: "avatar/\(post.author)")
  }
}
