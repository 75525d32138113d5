// swift-format-ignore-file
import Errand
import Foundation

struct ReadMe {
  let file: URL
  let folder: URL

  func run() async throws {
    let client = Client()
    let user = try await client.send(.get("https://api.example.com/me")).decode(User.self)
    try await client.download(.get("https://example.com/video.mp4"), to: file, resume: true)

    // On disk when this returns, and delivered whatever happens to the process.
    let outbox = try await Outbox(at: folder, client: client)
    try await outbox.enqueue(.post("https://api.example.com/likes", json: Like(id: 7)))
    _ = user
  }
}
