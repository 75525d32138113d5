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

/// A file is downloaded again only if the server has another version of it.
@Sendable func downloadingChanges(_ server: MockServer) async throws {
  server.on("GET", "/list") { request in
    request.fields["If-None-Match"] == #""v1""#
      ? .response(status: 304) : .response(fields: ["ETag": #""v1""#], body: "milk, bread")
  }
  try await withFolder { folder in
    let (client, file) = (Client(), folder.appending(path: "list.txt"))
    let first = try await client.download(.get(server.url("/list")), to: file, ifChanged: true)
    let second = try await client.download(.get(server.url("/list")), to: file, ifChanged: true)
    try show("first: \(first.status); then: \(second.status)", !first.isUnchanged && second.isUnchanged)
  }
}
