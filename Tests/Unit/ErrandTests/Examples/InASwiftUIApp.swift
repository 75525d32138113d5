// swift-format-ignore-file
#if canImport(SwiftUI)
import Errand
import ErrandSwiftUI
import SwiftUI

private enum InASwiftUIApp {
  struct Post: Codable, Sendable, Identifiable {
    let id: Int
    let title: String
  }

  struct FeedApp: App {
    @State private var store = LoadStore(Client())

    var body: some Scene {
      WindowGroup { Feed().errand(store) }
    }
  }

  struct Feed: View {
    @Loaded(.get("https://example.com/posts")) private var posts: Loading<[Post]>

    var body: some View {
      VStack {
        if posts.error != nil { Text("These are not the newest.") }
        List(posts.value ?? []) { post in Text(post.title) }
        if posts.isRefreshing { ProgressView() }
      }
      .loads($posts)
    }
  }

  struct Search: View {
    @Loaded private var found: Loading<[Post]>

    init(_ text: String) { _found = Loaded(.get("https://example.com/posts", query: ["q": text])) }

    var body: some View {
      List(found.value ?? []) { post in Text(post.title) }
        .loads($found)
    }
  }

  struct Dashboard: View {
    @Loaded("dashboard", load: { client, scope in
      async let first = client.send(.get("https://example.com/first"), in: scope).text
      async let second = client.send(.get("https://example.com/second"), in: scope).text
      return try await [first, second]
    }) private var lines: Loading<[String]>

    var body: some View {
      Text(lines.value?.joined() ?? "")
        .loads($lines)
    }
  }

  struct Profile: View {
    let client: Client
    @State private var page = ViewRequests("profile")

    var body: some View {
      Button("Like") {
        page.scope.task { try await client.send(.post("https://example.com/likes")) }
      }
      .requests(page)
    }
  }

  struct Toolbar: View {
    @Environment(\.errand) private var store
    @Environment(\.requests) private var requests

    var body: some View {
      Button("Share") {
        requests.task { try await store?.client.send(.post("https://example.com/shares")) }
      }
    }
  }

  struct Compose: View {
    let client: Client
    @State private var activity = RequestActivity("Publishing")

    var body: some View {
      Button("Publish") {
        Task { try await client.send(.post("https://example.com/posts").mustFinishFirst(activity)) }
      }
      .activity(activity)
    }
  }

  @MainActor static func preview() -> some View {
    Feed().errandStub { request in try .json([Post(id: 1, title: "Hello")], for: request) }
  }
}
#endif
