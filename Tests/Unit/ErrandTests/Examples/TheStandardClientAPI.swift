// swift-format-ignore-file
import Errand
import Foundation

struct TheStandardClientAPI {
  let client: Client

  func reading(_ write: (Data) async throws -> Void) async throws {
    let response = try await client.stream(.get(feedURL).acceptingAnyStatus())
    for try await chunk in response.chunks { try await write(chunk) }
    print(response.trailers)
  }
}
