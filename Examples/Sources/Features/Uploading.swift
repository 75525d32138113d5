import Errand
import ErrandTesting
import Foundation

/// A form with a file, which is read while it is sent, and the progress.
@Sendable func uploading(_ server: MockServer) async throws {
  server.on("POST", "/photos") { request in .response(status: 201, body: "\(request.bodyBytes) bytes") }
  try await withFolder { folder in
    let photo = folder.appending(path: "cat.jpg")
    try Data(count: 2_000_000).write(to: photo)

    let form = MultipartForm().field("title", "Cat").file("photo", at: photo)
    let client = Client()
    let call = client.start(.post(server.url("/photos"), .multipart(form)))
    for await progress in call.progress {
      if let total = progress.sentTotal { print("  sent \(progress.sent) of \(total) bytes") }
    }
    let response = try await call.value
    try show("the server got \(response.text)", response.status == 201)
  }
}
