// swift-format-ignore-file
import Errand
import Foundation

struct FiveLines {
  let file: URL

  func run() async throws {
    let client = Client()
    let user = try await client.send(.get("https://api.example.com/me")).decode(User.self)
    try await client.send(.post("https://api.example.com/likes", json: Like(id: 7)).ignoringRepeats(within: .seconds(3)))
    try await client.download(.get("https://example.com/video.mp4"), to: file, resume: true)
    _ = user
  }
}

struct RefreshedOnce {
  struct User { let id: String }

  func run(_ file: URL, _ access: String, _ refresh: String, _ user: User) async throws {
    var configuration = ClientConfiguration()
    let session = CredentialSession(
      OAuth2(tokenURL: tokenURL, clientID: "app"), store: CredentialFile(at: file))
    configuration.authentication = Authentication(session)
    try await session.signIn(OAuth2.Tokens(accessToken: access, refreshToken: refresh), identity: user.id)
  }
}
