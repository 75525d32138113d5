// swift-format-ignore-file
import Errand
import Foundation

struct Downloads {
  let file: URL

  func plain(_ client: Client) async throws {
    try await client.download(.get("https://example.com/video.mp4"), to: file)
  }

  func resumed(_ client: Client) async throws {
    try await client.download(.get("https://example.com/video.mp4"), to: file, resume: true) { progress in
      print(progress.received, progress.receivedTotal ?? -1)
    }
  }

  func streamed(_ client: Client) async throws {
    let response = try await client.stream(.get("https://example.com/log"))
    print(response.status)
    for try await chunk in response.chunks {
      print(chunk.count)
    }
  }

  func uploaded(_ client: Client) async throws {
    try await client.send(.put("https://example.com/video.mp4", .file(file))) { progress in
      print(progress.sent, progress.sentTotal ?? -1)
    }
  }
}
