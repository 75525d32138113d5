// swift-format-ignore-file
import Errand
import Foundation

private struct ComingFromAsyncHTTPClient {
  struct Sink { func write(_ chunk: Data) async throws {} }

  let order: Message
  let sink: Sink

  func sending(_ client: Client) async throws {
    let response = try await client.send(
      .post("https://api.example.com/orders", json: order).deadline(.seconds(30)).memoryLimit(1 << 20))
    show("\(response.status): \(response.data.count) bytes")
  }

  func streaming(_ client: Client) async throws {
    let log = try await client.stream(.get("https://example.com/log"))
    for try await chunk in log.chunks {
      try await sink.write(chunk)
    }
  }

  func ending(_ client: Client) async {
    await client.shutdown(within: .seconds(10))   // refuses new requests, lets those in flight finish
  }
}
