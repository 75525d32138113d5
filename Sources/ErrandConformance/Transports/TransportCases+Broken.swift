import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TransportConformance {
  static let broken: [Case] = [
    Case("fails when the server closes without a response") { harness in
      harness.server.on("/") { _ in .close }
      for method in [HTTPMethod.get, .post] {
        try await harness.fails(.connectionLost, reachedServer: true) {
          try await harness.client.send(Request(method, harness.server.url("/")))
        }
      }
    },

    Case("fails when the connection is reset before the response, in its header fields, or after them") {
      harness in
      let whole = MockResponse.response(fields: ["X-A": "some value"], body: "hello")
      for point in [MockResponse.Point.start, .head(1), .head(12), .head(30), .headEnd, .body(3)] {
        harness.server.on("/") { _ in whole.resetting(at: point) }
        try await harness.fails(.connectionLost, reachedServer: true) {
          try await harness.client.send(.get(harness.server.url("/")))
        }
      }
    },

    Case("fails when the connection is closed in the header fields") { harness in
      let whole = MockResponse.response(fields: ["X-A": "some value"], body: "hello")
      for point in [MockResponse.Point.head(1), .head(12), .head(17), .head(30)] {
        harness.server.on("/") { _ in whole.closing(at: point) }
        try await harness.fails(.connectionLost, .invalidResponse, reachedServer: true) {
          try await harness.client.send(.get(harness.server.url("/")))
        }
      }
    },

    Case("ends a HEAD response at its head, even if a body is announced or sent") { harness in
      // Bytes after the head must not become the next response.
      let heads = [
        "/sent": "Content-Length: 5\r\n\r\nhello", "/announced": "Content-Length: 5\r\n\r\n",
        "/chunked": "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "/endless": "\r\nhello",
      ]
      for (path, rest) in heads.sorted(by: { $0.key < $1.key }) {
        harness.server.on(path) { _ in
          .raw("HTTP/1.1 200 OK\r\nConnection: close\r\n" + rest).stalling(at: .end)
        }
        let response = try await harness.client.send(
          .head(harness.server.url(path)).timeout(.seconds(20)).deadline(.seconds(10)))
        try harness.equal(response.data.count, 0, "the body of \(path)")
      }
    },

    Case("ends the response to a HEAD request with a body at the head") { harness in
      harness.server.on("/") { _ in
        .raw("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\n").stalling(at: .end)
      }
      let response = try await harness.client.send(
        Request(.head, harness.server.url("/"), body: .text("asked with a body")).timeout(.seconds(20))
          .deadline(.seconds(10)))
      try harness.equal(response.data.count, 0, "the body")
    },

    Case("fails at once when the server switches to a protocol that was not requested") { harness in
      harness.server.on("/") { _ in
        .raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: any\r\n\r\n").stalling(at: .end)
      }
      try await harness.fails(.invalidResponse, reachedServer: true) {
        try await harness.client.send(
          .get(harness.server.url("/")).timeout(.seconds(20)).deadline(.seconds(10)))
      }
    },

    Case("refuses a transfer coding that was not requested") { harness in
      let gzipped = Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV0ivyizQUcjAygYAujGOJiIAAAA=")!
      harness.server.on("/") { _ in
        .chunked(fields: ["Transfer-Encoding": "gzip, chunked"], chunks: [gzipped])
      }
      try await harness.fails(.invalidResponse, reachedServer: true) {
        try await harness.client.send(.get(harness.server.url("/")))
      }
    },

    Case("fails when the body is shorter than announced") { harness in
      for size in [0, 1, 500_000] {
        harness.server.on("/") { _ in
          .response(body: Data(count: size)).announcing(length: size + 1).closing(at: .end)
        }
        try await harness.fails(.connectionLost, reachedServer: true) {
          try await harness.client.send(.get(harness.server.url("/")))
        }
      }
    },

    Case("takes only the announced length of a longer body, and mixes no rest into the next response") {
      harness in
      harness.server.script(
        "GET", "/",
        [
          .response(body: "helloHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil").announcing(length: 5),
          .response(body: "next"),
        ])
      let first = try await harness.client.send(.get(harness.server.url("/")))
      try harness.equal(first.text, "hello", "the first body")
      let second = try await harness.client.send(.get(harness.server.url("/")))
      try harness.equal(second.text, "next", "the second body")
      try harness.equal(harness.server.connections.count, 2, "the number of connections")
    },

    Case("fails when the head is cut at any point") { harness in
      let head = Data("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: y\r\n\r\n".utf8)
      // Clients do not notice if only the last byte is missing.
      for count in head.indices.dropLast() {
        harness.server.on("/") { _ in .raw(head.prefix(count)) }
        try await harness.fails(.connectionLost, reachedServer: true) {
          try await harness.client.send(.get(harness.server.url("/")))
        }
      }
    },

    Case("fails when a chunk is cut or the last chunk is missing") { harness in
      for count in [1, 4, 8, 14, 16] {
        harness.server.on("/") { _ in MockResponse.chunked("hello", "world").closing(at: .body(count)) }
        try await harness.fails(.connectionLost, reachedServer: true) {
          try await harness.client.send(.get(harness.server.url("/")))
        }
      }
    },

    Case("fails on a chunk whose length is not a number") { harness in
      harness.server.on("/") { _ in .malformedChunk }
      try await harness.fails(.invalidResponse, .connectionLost, reachedServer: true) {
        try await harness.client.send(.get(harness.server.url("/")).timeout(.seconds(3)))
      }
    },

    Case("fails on bytes that are not HTTP") { harness in
      for text in [
        "SSH-2.0-OpenSSH_9.2\r\n", "\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\r\n\r\n", "<html>no head</html>",
      ] {
        harness.server.on("/") { _ in .raw(text) }
        try await harness.fails(.invalidResponse, reachedServer: true) {
          try await harness.client.send(.get(harness.server.url("/")))
        }
      }
    },

    Case("fails on a Content-Length that is not a number or is too large") { harness in
      for length in ["many", "+5", "99999999999999999999999"] {
        harness.server.on("/") { _ in
          .raw("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(length)\r\n\r\nhello")
        }
        try await harness.fails(.invalidResponse, reachedServer: true) {
          try await harness.client.send(.get(harness.server.url("/")))
        }
      }
    },

    Case("fails on two lengths that differ") { harness in
      for lengths in ["5\r\nContent-Length: 3", "3, 5"] {
        harness.server.on("/") { _ in .raw("HTTP/1.1 200 OK\r\nContent-Length: \(lengths)\r\n\r\nhello") }
        try await harness.fails(.invalidResponse, .connectionLost, reachedServer: true) {
          try await harness.client.send(.get(harness.server.url("/")))
        }
      }
    },

    Case("fails in the same way for memory, files and streams") { harness in
      harness.server.on("/") { _ in .response(body: Data(count: 300_000)).closing(at: .body(200_000)) }
      try await harness.fails(.connectionLost) {
        try await harness.client.send(.get(harness.server.url("/")))
      }
      let target = try harness.folder().appending(path: "file")
      try await harness.fails(.connectionLost) {
        try await harness.client.download(.get(harness.server.url("/")), to: target)
      }
      try await harness.fails(.connectionLost) {
        let response = try await harness.client.stream(.get(harness.server.url("/")))
        for try await _ in response.chunks {}
        return response
      }
    },

    Case("works after each failure") { harness in
      let faults: [MockResponse] = [
        .reset, .close, .malformedChunk, .response(body: "hello").closing(at: .body(2)),
        .raw("nonsense\r\n\r\n"),
        .response(fields: ["Content-Encoding": "gzip"], body: "nonsense"),
      ]
      harness.server.on("/good") { _ in .response(body: "good") }
      for fault in faults {
        harness.server.on("/bad") { _ in fault }
        _ = try? await harness.client.send(.get(harness.server.url("/bad")))
        let good = try await harness.client.send(.get(harness.server.url("/good")))
        try harness.equal(good.text, "good", "the response after a failure")
      }
    },
  ]
}
