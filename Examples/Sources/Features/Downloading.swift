import Errand
import ErrandTesting
import Foundation

/// A download that breaks off continues where it stopped, and the file is there only when it is complete.
@Sendable func downloading(_ server: MockServer) async throws {
  let film = Data((0..<500_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
  server.on("GET", "/film") { request in
    let response = MockResponse.file(film, etag: #""v1""#, for: request)
    return request.index == 0 ? response.closing(at: .body(200_000)) : response
  }
  try await withFolder { folder in
    let file = folder.appending(path: "film.mp4")
    try await Client().download(.get(server.url("/film")), to: file, resume: true)
    let range = server.requests.last?.fields["Range"]
    try show("the second request asked for \(range ?? "everything")", range != nil)
    try show("the file is complete", try Data(contentsOf: file) == film)
  }
}
