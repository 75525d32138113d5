// swift-format-ignore-file
import Errand
import Foundation

private struct ComingFromAsyncHTTPClient {
  let order: Message
  let output: FileHandle

  func sending(_ client: Client) async throws {
    let response = try await client.send(
      .post("https://api.example.com/orders", json: order).deadline(.seconds(30)).memoryLimit(1 << 20))
    print("\(response.status): \(response.data.count) bytes")
  }

  func streaming(_ client: Client) async throws {
    let log = try await client.stream(.get("https://example.com/log"))
    for try await chunk in log.chunks {
      try output.write(contentsOf: chunk)   // a FileHandle
    }
  }

  func ending(_ client: Client) async {
    await client.shutdown(within: .seconds(10))   // refuses new requests, lets those in flight finish
  }
}
