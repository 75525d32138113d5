// swift-format-ignore-file
import Errand
import ErrandTesting
import Foundation

struct ResumableUploads {
  let client: Client
  let outbox: Outbox
  let video: URL
  let videoURL: URL
  let videosURL: URL
  let stateFolder: URL

  func simple() async throws -> Response {
    let response = try await client.upload(video, to: videosURL)
    return response
  }

  func request() async throws -> Response {
    let request = Request.put(videoURL, .file(video)).field("X-Title", "Holiday").deadline(.seconds(3600))
    let response = try await client.upload(request) { progress in
      print("\(progress.sent) of \(progress.sentTotal ?? 0) bytes")
    }
    return response
  }

  func kept() async throws -> Response {
    let response = try await client.upload(video, to: videosURL, resuming: .automatic.kept(in: stateFolder))
    return response
  }

  func abandoned() async throws {
    try await client.abandonUpload(.post(videosURL, .file(video)), keptIn: stateFolder)
  }

  func inOutbox() async throws {
    let receipt = try await outbox.enqueue(.post(videosURL, .file(video)), resuming: .automatic)
    for await progress in receipt.progress { print("\(progress.sent) of \(progress.sentTotal ?? 0) bytes") }
  }

  func known() async throws -> Response {
    var resumption = UploadResumption.tus.kept(in: stateFolder)
    resumption.maxRequestSize = 8 << 20
    resumption.isVerified = true
    let response = try await client.upload(video, to: videosURL, resuming: resumption)
    return response
  }

  func tests() async throws {
    let server = try UploadServer()
    server.fail(.cut(after: 100_000), .status(503), .stall(after: 5))
    try await client.upload(video, to: server.url)
  }
}
