import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TransportConformance {
  static let broken: [Case] = [
    Case("fails when the server closes without an answer") { lab in
      lab.server.on("/") { _ in .close }
      for method in [ErrandCore.Method.get, .post] {
        try await lab.fails(.connectionLost, reachedServer: true) {
          try await lab.client.send(Request(method, lab.server.url("/")))
        }
      }
    },

    Case("fails when the connection is reset before the answer, in its fields, and behind them") { lab in
      let whole = MockAnswer.answer(fields: ["X-A": "some value"], body: "hello")
      for point in [MockAnswer.Point.start, .head(1), .head(12), .head(30), .headEnd, .body(3)] {
        lab.server.on("/") { _ in whole.resetting(at: point) }
        try await lab.fails(.connectionLost, reachedServer: true) {
          try await lab.client.send(.get(lab.server.url("/")))
        }
      }
    },

    Case("fails when the connection is closed in the fields") { lab in
      let whole = MockAnswer.answer(fields: ["X-A": "some value"], body: "hello")
      for point in [MockAnswer.Point.head(1), .head(12), .head(17), .head(30)] {
        lab.server.on("/") { _ in whole.closing(at: point) }
        try await lab.fails(.connectionLost, .invalidResponse, reachedServer: true) {
          try await lab.client.send(.get(lab.server.url("/")))
        }
      }
    },

    Case("ends HEAD at its head, though a body is announced or sent") { lab in
      // What is sent behind the head must not become the next answer either.
      let heads = [
        "/sent": "Content-Length: 5\r\n\r\nhello", "/announced": "Content-Length: 5\r\n\r\n",
        "/chunked": "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "/endless": "\r\nhello",
      ]
      for (path, rest) in heads.sorted(by: { $0.key < $1.key }) {
        lab.server.on(path) { _ in .raw("HTTP/1.1 200 OK\r\nConnection: close\r\n" + rest).stalling(at: .end)
        }
        let response = try await lab.client.send(
          .head(lab.server.url(path)).timeout(.seconds(20)).deadline(.seconds(10)))
        try lab.equal(response.data.count, 0, "the body of \(path)")
      }
    },

    Case("ends HEAD with a body of its own at the head of the response") { lab in
      lab.server.on("/") { _ in
        .raw("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\n").stalling(at: .end)
      }
      let response = try await lab.client.send(
        Request(.head, lab.server.url("/"), body: .text("asked with a body")).timeout(.seconds(20))
          .deadline(.seconds(10)))
      try lab.equal(response.data.count, 0, "the body")
    },

    Case("fails at once when the server switches to a protocol that was not asked for") { lab in
      lab.server.on("/") { _ in
        .raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: any\r\n\r\n").stalling(at: .end)
      }
      try await lab.fails(.invalidResponse, reachedServer: true) {
        try await lab.client.send(.get(lab.server.url("/")).timeout(.seconds(20)).deadline(.seconds(10)))
      }
    },

    Case("refuses a transfer coding that was not asked for") { lab in
      let gzipped = Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV0ivyizQUcjAygYAujGOJiIAAAA=")!
      lab.server.on("/") { _ in .chunked(fields: ["Transfer-Encoding": "gzip, chunked"], chunks: [gzipped]) }
      try await lab.fails(.invalidResponse, reachedServer: true) {
        try await lab.client.send(.get(lab.server.url("/")))
      }
    },

    Case("fails when the body is shorter than announced") { lab in
      for size in [0, 1, 500_000] {
        lab.server.on("/") { _ in
          .answer(body: Data(count: size)).announcing(length: size + 1).closing(at: .end)
        }
        try await lab.fails(.connectionLost, reachedServer: true) {
          try await lab.client.send(.get(lab.server.url("/")))
        }
      }
    },

    Case("takes what was announced of a body that is longer, and mixes nothing into the next answer") { lab in
      lab.server.script(
        "GET", "/",
        [
          .answer(body: "helloHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil").announcing(length: 5),
          .answer(body: "next"),
        ])
      let first = try await lab.client.send(.get(lab.server.url("/")))
      try lab.equal(first.text, "hello", "the first body")
      let second = try await lab.client.send(.get(lab.server.url("/")))
      try lab.equal(second.text, "next", "the second body")
      try lab.equal(lab.server.connections.count, 2, "the number of connections")
    },

    Case("fails when the head is cut, wherever that is") { lab in
      let head = Data("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: y\r\n\r\n".utf8)
      // The last byte is missed by nobody.
      for count in head.indices.dropLast() {
        lab.server.on("/") { _ in .raw(head.prefix(count)) }
        try await lab.fails(.connectionLost, reachedServer: true) {
          try await lab.client.send(.get(lab.server.url("/")))
        }
      }
    },

    Case("fails when a chunk is cut, or the last is missing") { lab in
      for count in [1, 4, 8, 14, 16] {
        lab.server.on("/") { _ in MockAnswer.chunked("hello", "world").closing(at: .body(count)) }
        try await lab.fails(.connectionLost, reachedServer: true) {
          try await lab.client.send(.get(lab.server.url("/")))
        }
      }
    },

    Case("fails on a chunk whose length is no number") { lab in
      lab.server.on("/") { _ in .malformedChunk }
      try await lab.fails(.invalidResponse, .connectionLost, reachedServer: true) {
        try await lab.client.send(.get(lab.server.url("/")).timeout(.seconds(3)))
      }
    },

    Case("fails on what is no HTTP") { lab in
      for text in [
        "SSH-2.0-OpenSSH_9.2\r\n", "\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\r\n\r\n", "<html>no head</html>",
      ] {
        lab.server.on("/") { _ in .raw(text) }
        try await lab.fails(.invalidResponse, reachedServer: true) {
          try await lab.client.send(.get(lab.server.url("/")))
        }
      }
    },

    Case("fails on a Content-Length that is no number") { lab in
      lab.server.on("/") { _ in .raw("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nhello") }
      try await lab.fails(.invalidResponse, reachedServer: true) {
        try await lab.client.send(.get(lab.server.url("/")))
      }
    },

    Case("fails on two lengths that differ") { lab in
      for lengths in ["5\r\nContent-Length: 3", "3, 5"] {
        lab.server.on("/") { _ in .raw("HTTP/1.1 200 OK\r\nContent-Length: \(lengths)\r\n\r\nhello") }
        try await lab.fails(.invalidResponse, .connectionLost, reachedServer: true) {
          try await lab.client.send(.get(lab.server.url("/")))
        }
      }
    },

    Case("fails for each kind of destination alike") { lab in
      lab.server.on("/") { _ in .answer(body: Data(count: 300_000)).closing(at: .body(200_000)) }
      try await lab.fails(.connectionLost) { try await lab.client.send(.get(lab.server.url("/"))) }
      let target = try lab.folder().appending(path: "file")
      try await lab.fails(.connectionLost) {
        try await lab.client.download(.get(lab.server.url("/")), to: target)
      }
      try await lab.fails(.connectionLost) {
        let response = try await lab.client.stream(.get(lab.server.url("/")))
        for try await _ in response.chunks {}
        return response
      }
    },

    Case("works again after each failure") { lab in
      let faults: [MockAnswer] = [
        .reset, .close, .malformedChunk, .answer(body: "hello").closing(at: .body(2)),
        .raw("nonsense\r\n\r\n"),
        .answer(fields: ["Content-Encoding": "gzip"], body: "nonsense"),
      ]
      lab.server.on("/good") { _ in .answer(body: "good") }
      for fault in faults {
        lab.server.on("/bad") { _ in fault }
        _ = try? await lab.client.send(.get(lab.server.url("/bad")))
        let good = try await lab.client.send(.get(lab.server.url("/good")))
        try lab.equal(good.text, "good", "the answer after a failure")
      }
    },
  ]
}
