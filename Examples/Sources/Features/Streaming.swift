import Errand
import ErrandTesting
import Foundation

/// A response is read while it arrives; what is not read yet is not in memory.
@Sendable func streaming(_ server: MockServer) async throws {
  let body = Data(count: 5_000_000)
  server.on("GET", "/log") { _ in .response(body: body) }
  let response = try await Client().stream(.get(server.url("/log")))
  var (bytes, chunks) = (0, 0)
  for try await chunk in response.chunks {
    bytes += chunk.count
    chunks += 1
  }
  try show("\(bytes) bytes in \(chunks) chunks", bytes == body.count)
}
