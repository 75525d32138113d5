import Errand
import ErrandTesting
import Foundation

/// A write makes the shared and cached reads from before it out of date.
@Sendable func invalidating(_ server: MockServer) async throws {
  server.script("GET", "/profile", [.response(body: "Anna"), .response(body: "Bert")])
  server.on("PUT", "/profile") { _ in .response(status: 204) }
  let client = Client()
  let profile = Request.get(server.url("/profile")).shared(within: .seconds(60), key: "profile")
    .cached(as: "profile")
  _ = try await client.send(profile)
  let before = try await client.send(profile).text
  try show("before the write: \(before)", before == "Anna")
  try await client.send(.put(server.url("/profile"), .text("Bert")).invalidating("profile"))
  let after = try await client.send(profile).text
  try show("after the write: \(after)", after == "Bert")
}
