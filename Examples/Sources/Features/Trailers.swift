import Errand
import ErrandTesting
import Foundation
import Synchronization

/// Fields after a body: a checksum that is known only when the last chunk has been sent.
@Sendable func trailers(_ server: MockServer) async throws {
  server.on("POST", "/sum") { request in
    let sum = request.body.reduce(0) { $0 &+ Int($1) }
    let isRight = request.trailers["X-Sum"] == "\(sum)"
    return .chunked(chunks: [Data("received".utf8)], trailers: ["X-Sum-Is-Right": "\(isRight)"])
  }

  let sum = Mutex(0)
  let chunks = AsyncStream<Data> { stream in
    for text in ["some ", "chunks ", "of a body"] { stream.yield(Data(text.utf8)) }
    stream.finish()
  }.map { chunk in
    sum.withLock { $0 += chunk.reduce(0) { $0 + Int($1) } }
    return chunk
  }
  let response = try await Client().send(
    .post(server.url("/sum"), .stream(chunks, trailers: { ["X-Sum": "\(sum.withLock { $0 })"] })))
  try show(
    "the sum is right: \(response.trailers["X-Sum-Is-Right"] ?? "?")",
    response.trailers["X-Sum-Is-Right"] == "true")
}

/// A conversation: each chunk of the request depends on the last chunk of the response.
@Sendable func byTurns(_ server: MockServer) async throws {
  server.on("POST", "/echo", at: .head) { _ in .echo() }
  let (pieces, source) = AsyncStream<Data>.makeStream()
  let echoes = try await Client().stream(.post(server.url("/echo"), .stream(pieces))).chunks
  source.yield(Data("a".utf8))
  var turns = 0
  for try await echo in echoes {
    turns += 1
    if echo.count > 100 { source.finish() } else { source.yield(echo + echo) }
  }
  try show("\(turns) turns", turns == 8)
}
