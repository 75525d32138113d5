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

/// Each line is decoded when it arrives (JSON Lines).
@Sendable func jsonLines(_ server: MockServer) async throws {
  server.on("GET", "/log.jsonl") { _ in
    .chunked(#"{"id": 1, "text": "begun"}\#n"#, #"{"id": 2, "te"#, #"xt": "done"}\#n"#)
  }
  let response = try await Client().stream(.get(server.url("/log.jsonl")))
  var lines: [Line] = []
  for try await line in response.jsonLines(as: Line.self) { lines.append(line) }
  try show("the lines: \(lines.map(\.text))", lines.map(\.id) == [1, 2])
}

/// Of a long array, one element is in memory at a time.
@Sendable func decodingEach(_ server: MockServer) async throws {
  let count = 10_000
  server.on("GET", "/all.json") { _ in
    .response(body: "[" + (1...count).map { #"{"id": \#($0), "text": "line"}"# }.joined(separator: ",") + "]")
  }
  let response = try await Client().stream(.get(server.url("/all.json")))
  var last = 0
  for try await line in response.decodeEach(as: Line.self) { last = line.id }
  try show("the last of \(count) elements: \(last)", last == count)
}

private struct Line: Decodable, Sendable {
  let id: Int
  let text: String
}
