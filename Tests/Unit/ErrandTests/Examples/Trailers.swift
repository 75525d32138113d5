// swift-format-ignore-file
import Errand
import Foundation

struct Trailers {
  let client: Client
  let reportURL: URL
  let echoURL: URL

  func reading() async throws {
    let report = try await client.send(.get(reportURL).field("TE", "trailers"))
    print(report.trailers["X-Checksum"] ?? "none")
  }

  func streaming() async throws {
    var count = 0
    let chunks = try await client.stream(.get(reportURL)).chunks
    for try await chunk in chunks { count += chunk.count }
    print(chunks.trailers["X-Checksum"] ?? "none")
  }

  func sending(_ lines: Lines) async throws {
    let body = RequestBody.stream(lines, contentType: "text/plain", trailers: { ["X-Lines": "\(lines.count)"] })
    try await client.send(.post(reportURL, body))
  }

  func byTurns() async throws {
    let (pieces, source) = AsyncStream<Data>.makeStream()
    let echoes = try await client.stream(.post(echoURL, .stream(pieces))).chunks
    source.yield(Data("first".utf8))
    for try await echo in echoes {
      if echo.count > 100 { source.finish() } else { source.yield(echo + echo) }
    }
  }

  struct EarlyHints: EventListener {
    func record(_ event: CallEvent) {
      guard case .interim(let response) = event.kind, response.status == 103 else { return }
      for link in response.fields.values(of: "Link") { print("early: \(link)") }
    }
  }

  /// Lines that count themselves.
  struct Lines: AsyncSequence, Sendable {
    let lines: AsyncStream<Data>
    let count: Int

    func makeAsyncIterator() -> AsyncStream<Data>.Iterator { lines.makeAsyncIterator() }
  }
}
