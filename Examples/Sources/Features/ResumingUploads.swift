import Errand
import ErrandTesting
import Foundation

/// An upload that continues where its connection broke, and in the next launch of the program.
@Sendable func resumingUploads(_: MockServer) async throws {
  let server = try UploadServer()
  try await withFolder { folder in
    let film = folder.appending(path: "film.mp4")
    try Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }).write(to: film)

    // The connection breaks twice, and the upload continues by itself.
    let client = Client()
    server.fail(.cut(after: 1_000_000), .cut(after: 500_000))
    let response = try await client.upload(film, to: server.url) { progress in
      print("  attempt \(progress.attempt): \(progress.sent) of \(progress.sentTotal ?? 0) bytes")
    }
    try show("the server says: \(response.text)", response.text == "stored")
    // Bytes that the server had not read when a connection broke are sent again. From the start, it would be 3.5 million.
    try show("it received \(server.receivedBytes) bytes", server.receivedBytes < 3_400_000)

    // A program that ends in the middle of an upload keeps the upload's URL in a folder.
    let kept = UploadResumption.automatic.kept(in: folder.appending(path: "uploads"))
    let request = Request.put(server.url, .file(film))
    server.fail(.cut(after: 1_000_000))
    do { try await client.upload(request.attempts(1), resuming: kept) } catch { print("  \(error)") }
    try await client.upload(request, resuming: kept)
    let content = try Data(contentsOf: film)
    try show("two uploads arrived", server.uploads.map(\.content) == [content, content])
  }
}
