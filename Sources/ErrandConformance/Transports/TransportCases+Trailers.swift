import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TransportConformance {
  static let trailers: [Case] = [
    Case("reads the trailers of a response, apart from its fields") { harness in
      let trailers: HTTPFields = ["X-Sum": "1", "X-Empty": "", "x-sum": "2", "ETag": "\"a\""]
      harness.server.on("/") { _ in .chunked(chunks: [Data("hello".utf8)], trailers: trailers) }
      harness.server.on("/none") { _ in .chunked("hello") }
      let response = try await harness.client.send(.get(harness.server.url("/")))
      try harness.equal(response.trailers, trailers, "the trailers")
      try harness.equal(response.fields["X-Sum"], nil, "a header field with the name of a trailer")
      let none = try await harness.client.send(.get(harness.server.url("/none")))
      try harness.equal(none.trailers, [:], "the trailers of a response without any")

      let stream = try await harness.client.stream(.get(harness.server.url("/"))).chunks
      for try await _ in stream {}
      try harness.equal(stream.trailers, trailers, "the trailers of a stream")

      let file = try harness.folder().appending(path: "file")
      let download = try await harness.client.download(.get(harness.server.url("/")), to: file)
      try harness.equal(download.trailers, trailers, "the trailers of a download")
    },

    Case("drops received trailers that are needed before the body") { harness in
      harness.server.on("/") { _ in
        .chunked(
          chunks: [Data("hello".utf8)],
          trailers: [
            "Content-Length": "3", "Transfer-Encoding": "gzip", "Content-Encoding": "gzip",
            "Content-Type": "a/b",
            "Set-Cookie": "a=b", "Location": "/x", "X-Kept": "yes", "Host": "a",
          ])
      }
      for _ in 0..<2 {
        let response = try await harness.client.send(.get(harness.server.url("/")))
        try harness.equal(response.text, "hello", "the body")
        try harness.equal(response.trailers, ["X-Kept": "yes"], "the trailers")
      }
    },

    Case("refuses malformed trailers, and a megabyte of trailers") { harness in
      let start = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n"
      for (index, line) in ["no colon", "X-\u{1}: a", "X-A : b", ": c"].enumerated() {
        harness.server.on("/\(index)") { _ in .raw(start + line + "\r\n\r\n") }
        try await harness.fails(.invalidResponse, .connectionLost, reachedServer: true) {
          try await harness.client.send(.get(harness.server.url("/\(index)")))
        }
      }
      let large: HTTPFields = ["X-Large": String(repeating: "a", count: 1_000_000)]
      harness.server.on("/large") { _ in .chunked(chunks: [Data("ok".utf8)], trailers: large) }
      try await harness.fails(.fieldsTooLarge, reachedServer: true) {
        try await harness.client.send(.get(harness.server.url("/large")))
      }
    },

    Case("sends the trailers of a body, which are made at its end, or refuses them before it sends anything")
    {
      harness in
      harness.server.otherwise { _ in .response() }
      let (chunks, source) = AsyncStream<Data>.makeStream()
      for _ in 0..<3 { source.yield(Data(count: 1000)) }
      source.finish()
      let read = Locked(0)
      let counted = chunks.map { chunk in
        read.withLock { $0 += chunk.count }
        return chunk
      }
      let body = RequestBody.stream(counted) {
        ["X-Count": "\(read.withLock { $0 })", "X-Empty": "", "X-Last": " b "]
      }
      try await harness.trailing { try await harness.client.send(.post(harness.server.url("/"), body)) }
      let request = harness.server.requests[0]
      try harness.equal(request.body.count, 3000, "the body's length")
      try harness.equal(
        request.trailers, ["X-Count": "3000", "X-Empty": "", "X-Last": "b"], "the trailers")
      try harness.equal(request.fields["X-Count"], nil, "a header field with the name of a trailer")
      try harness.equal(request.fields["Content-Length"], nil, "Content-Length")

      _ = try await harness.client.send(.post(harness.server.url("/"), .text("next")))
      try harness.equal(harness.server.requests[1].trailers, [:], "the trailers of the next request")
      try harness.equal(harness.server.requests[1].text, "next", "the next request's body")
    },

    Case("makes trailers for each time that a body is sent") { harness in
      harness.server.on("POST", "/moved") { _ in .redirect(307, to: "/") }
      harness.server.on("POST", "/") { _ in .response() }
      let count = Locked(0)
      let body = RequestBody.text("hello").withTrailers {
        count.withLock { count in
          count += 1
          return ["X-Count": "\(count)"]
        }
      }
      try await harness.trailing { try await harness.client.send(.post(harness.server.url("/moved"), body)) }
      try harness.equal(harness.server.requests.map(\.text), ["hello", "hello"], "the bodies")
      try harness.equal(harness.server.requests.map { $0.trailers["X-Count"] }, ["1", "2"], "the trailers")
    },

    Case("sends no complete request if its trailers are invalid or cannot be made") { harness in
      struct Broken: Error {}
      harness.server.otherwise { _ in .response() }
      let all: [@Sendable () throws -> HTTPFields] = [
        { ["Content-Type": "text/plain"] }, { ["X-A": "b\r\nX-C: d"] }, { ["X A": "b"] },
        { ["X-A": String(repeating: "a", count: 40_000)] }, { throw Broken() },
      ]
      for trailers in all {
        try await harness.fails(.invalidRequest, .bodyFailed, .unsupported) {
          try await harness.client.send(
            .post(harness.server.url("/"), .text("hello").withTrailers { try trailers() }))
        }
      }
      try harness.expect(!harness.server.requests.contains { $0.isComplete }, "a request is complete")
    },

    Case("sends and receives by turns, byte by byte") { harness in
      harness.server.on("POST", "/", at: .head) { _ in .echo() }
      let (chunks, source) = AsyncStream<Data>.makeStream()
      let response = try await harness.client.stream(.post(harness.server.url("/"), .stream(chunks)))
      let stream = response.chunks
      var iterator = stream.makeAsyncIterator()
      for number in 0..<100 {
        source.yield(Data([UInt8(number)]))
        let chunk = try await iterator.next()
        try harness.equal(chunk, Data([UInt8(number)]), "the echo of byte \(number)")
      }
      source.finish()
      try harness.equal(try await iterator.next(), nil, "the end")
    },

    Case("ends with the response although the stream of the body is still open") { harness in
      harness.server.on("POST", "/plain", at: .head) { _ in .response(body: "done") }
      harness.server.on("POST", "/empty", at: .head) { _ in .response() }
      harness.server.on("POST", "/chunked", at: .head) { _ in .chunked("do", "ne") }
      for (index, path) in ["/plain", "/empty", "/chunked"].enumerated() {
        let (chunks, source) = AsyncStream<Data>.makeStream()
        source.yield(Data("begun".utf8))
        let response = try await harness.client.send(.post(harness.server.url(path), .stream(chunks)))
        try harness.equal(response.text, path == "/empty" ? "" : "done", "the body of \(path)")
        // The rest of the request is missing on that connection.
        try await harness.server.waitUntilClosed(connection: index + 1)
        source.finish()
      }
      try harness.equal(harness.server.requests.map(\.connection), [1, 2, 3], "the connections")
    },
  ]
}

extension TransportHarness {
  /// Sends a request with trailers. Skips the case if the transport refuses it before it sends anything.
  fileprivate func trailing(_ work: () async throws -> Response) async throws {
    do {
      _ = try await work()
    } catch let error as RequestError where error.code == .unsupported {
      try equal(error.reachedServer, false, "reachedServer of \(error.debugDescription)")
      try expect(server.requests.isEmpty, "the server received a request that was refused")
      throw ConformanceSkip(reason: "the transport sends no trailers")
    }
  }
}
