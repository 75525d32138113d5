import Errand
import ErrandTesting
import Foundation

/// One small example for each feature, each in a file that can be read in a minute:
///
///     swift run Features               # all of them
///     swift run Features caching       # one
///
/// Each gets a server in this process, so that there is something to see. Yours has a URL instead.
@main struct Features {
  static let all: [(name: String, run: @Sendable (MockServer) async throws -> Void)] = [
    ("sending", sending), ("uploading", uploading), ("resumingUploads", resumingUploads),
    ("downloading", downloading), ("downloadingChanges", downloadingChanges), ("streaming", streaming),
    ("jsonLines", jsonLines), ("decodingEach", decodingEach), ("events", events),
    ("paging", paging),
    ("trailers", trailers), ("byTurns", byTurns),
    ("sharing", sharing), ("latest", latest), ("repeats", repeats), ("caching", caching),
    ("httpCaching", httpCaching),
    ("retrying", retrying), ("hedging", hedging), ("rateLimiting", rateLimiting),
    ("waiting", waiting), ("invalidating", invalidating),
    ("scopes", scopes), ("priorities", priorities), ("dependencies", dependencies),
    ("interceptors", interceptors), ("credentials", credentials), ("signingIn", signingIn),
    ("cookies", cookies), ("signing", signing),
    ("watching", watching), ("outbox", outbox), ("lanes", lanes), ("deadLetters", deadLetters),
    ("testing", testing),
  ]

  static func main() async throws {
    let wanted = CommandLine.arguments.dropFirst()
    for (name, run) in all where wanted.isEmpty || wanted.contains(name) {
      print("\(name):")
      let server = try MockServer()
      defer { server.stop() }
      try await run(server)
    }
  }
}

/// Prints what an example has found out, and fails if that is not what it shows.
func show(_ text: String, _ isExpected: Bool = true) throws {
  print("  \(text)")
  guard isExpected else { throw Unexpected(description: "this was not expected: \(text)") }
}

struct Unexpected: Error, CustomStringConvertible {
  let description: String
}

/// Runs an example in a folder that is removed afterwards.
func withFolder(_ work: (URL) async throws -> Void) async throws {
  let folder = URL.temporaryDirectory.appending(path: "errand-example-\(UUID())")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try await work(folder)
}
