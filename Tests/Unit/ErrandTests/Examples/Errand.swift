import Errand

enum FrontPage {
  static func simple() async throws {
    let client = Client()
    let user = try await client.send(.get("https://api.example.com/me")).decode(User.self)
    _ = user
  }
}
