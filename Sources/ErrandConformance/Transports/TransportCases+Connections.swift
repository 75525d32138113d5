import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TransportConformance {
  static let connections: [Case] = [
    Case("reuses an idle connection") { harness in
      harness.server.otherwise { .response(body: "\($0.index)") }
      for number in 0..<10 {
        let response = try await harness.client.send(
          number % 2 == 0
            ? .get(harness.server.url("/")) : .put(harness.server.url("/"), .text("x")).retry(.attempts(2)))
        if let reused = response.timing.connectionReused {
          try harness.equal(reused, number > 0, "connectionReused of request \(number)")
        }
      }
      try harness.equal(harness.server.connections.count, 1, "the number of connections")
    },

    Case("opens a new connection after Connection: close") { harness in
      harness.server.otherwise { _ in .response(body: "ok").closingConnection() }
      for _ in 0..<3 { _ = try await harness.client.send(.post(harness.server.url("/"), .text("x"))) }
      try harness.equal(harness.server.connections.count, 3, "the number of connections")
      try harness.equal(harness.server.requests.count, 3, "the number of requests")
    },

    Case("sends a POST once when an idle connection was closed before it") { harness in
      harness.server.otherwise { _ in .response(body: "ok").closing(at: .end) }
      for number in 1...3 {
        let response = try await harness.client.send(.post(harness.server.url("/"), .text("x")))
        try harness.equal(response.text, "ok", "the response")
        try await harness.server.waitUntilClosed(connection: number)
      }
      try harness.equal(harness.server.requests.count, 3, "the number of requests")
    },

    Case("does not send a POST twice when a kept connection ends without a response") { harness in
      let file = try harness.file("body", Data("body".utf8))
      let bodies: [(String, @Sendable () -> RequestBody)] = [
        ("/none", { .none }), ("/bytes", { .text("body") }), ("/file", { .file(file) }),
        ("/form", { .multipart(MultipartForm().field("a", "b")) }),
        ("/stream", { .stream(pieces(of: Data("body".utf8), 2)) }),
        ("/large", { .bytes(Data(count: 300_000)) }),
      ]
      harness.server.on("/warm") { _ in .response() }
      for fault in [MockResponse.close, .reset] {
        harness.server.otherwise { _ in fault }
        for (path, body) in bodies {
          for method in [HTTPMethod.post, .patch] {
            _ = try await harness.client.send(.get(harness.server.url("/warm")))
            let before = harness.server.count(path)
            try await harness.fails(.connectionLost, reachedServer: true) {
              try await harness.client.send(Request(method, harness.server.url(path), body: body()))
            }
            try harness.equal(harness.server.count(path), before + 1, "how often \(method) \(path) arrived")
          }
        }
      }
    },

    Case("sends a GET at most twice when a kept connection ends without a response") { harness in
      harness.server.on("/warm") { _ in .response() }
      harness.server.on("/eat") { _ in .close }
      for method in [HTTPMethod.get, .put, .delete] {
        _ = try await harness.client.send(.get(harness.server.url("/warm")))
        let before = harness.server.count("/eat")
        try await harness.fails(.connectionLost, reachedServer: true) {
          try await harness.client.send(Request(method, harness.server.url("/eat")))
        }
        let arrived = harness.server.count("/eat") - before
        try harness.expect(1...2 ~= arrived, "\(method) arrived \(arrived) times")
      }
    },

    Case("retries a GET by the client's policy, but no POST that may have arrived") { harness in
      let client = harness.client {
        $0.retry = .attempts(3)
        $0.retry.backoff = .zero
      }
      harness.server.on("/") { _ in .reset }
      try await harness.fails(.connectionLost) {
        try await client.send(.post(harness.server.url("/"), .text("x")))
      }
      try harness.equal(harness.server.count("/"), 1, "how often POST arrived")
      harness.server.script("POST", "/key", [.reset, .response(body: "second").closingConnection()])
      let keyed = try await client.send(.post(harness.server.url("/key"), .text("x")).idempotencyKey("k"))
      try harness.equal(keyed.text, "second", "the response to the POST with a key")
      try harness.equal(
        harness.server.requests.filter { $0.path == "/key" }.map { $0.fields["Idempotency-Key"] },
        ["\"k\"", "\"k\""], "the keys")
      harness.server.script("GET", "/twice", [.reset, .reset, .response(body: "third")])
      let response = try await client.send(.get(harness.server.url("/twice")))
      try harness.equal(response.text, "third", "the response")
      try harness.equal(response.timing.attempts, 3, "the attempts")
      try harness.equal(harness.server.count("/twice"), 3, "how often GET arrived")
    },

    Case("runs many requests at once and mixes none of them up") { harness in
      harness.server.otherwise { .response(body: "\($0.path) \($0.text)") }
      try await withThrowingTaskGroup { group in
        for number in 0..<200 {
          group.addTask {
            let response = try await harness.client.send(
              .post(harness.server.url("/\(number)"), .text("body \(number)")))
            try harness.equal(response.text, "/\(number) body \(number)", "the response")
          }
        }
        try await group.waitForAll()
      }
      try harness.equal(harness.server.requests.count, 200, "the number of requests")
    },

    Case("does not delay requests behind a slow response from the same host") { harness in
      harness.server.on("/slow") { _ in .stall }
      harness.server.on("/quick") { _ in .response(body: "quick") }
      let slow = Task { try await harness.client.send(.get(harness.server.url("/slow"))) }
      try await harness.server.waitForRequests(1)
      let quick = try await harness.client.send(.get(harness.server.url("/quick")).timeout(.seconds(5)))
      try harness.equal(quick.text, "quick", "the response")
      slow.cancel()
      _ = await slow.result
    },
  ]
}
