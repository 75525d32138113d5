import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TransportConformance {
  static let connections: [Case] = [
    Case("keeps a connection and uses it again") { lab in
      lab.server.otherwise { .answer(body: "\($0.index)") }
      for number in 0..<10 {
        let response = try await lab.client.send(
          number % 2 == 0
            ? .get(lab.server.url("/")) : .put(lab.server.url("/"), .text("x")).retry(.tries(2)))
        if let reused = response.timing.connectionReused {
          try lab.equal(reused, number > 0, "connectionReused of request \(number)")
        }
      }
      try lab.equal(lab.server.connections.count, 1, "the number of connections")
    },

    Case("opens a new connection when the server said that it closes this one") { lab in
      lab.server.otherwise { _ in .answer(body: "ok").closingConnection() }
      for _ in 0..<3 { _ = try await lab.client.send(.post(lab.server.url("/"), .text("x"))) }
      try lab.equal(lab.server.connections.count, 3, "the number of connections")
      try lab.equal(lab.server.requests.count, 3, "the number of requests")
    },

    Case("sends a POST once when an idle connection was closed before it") { lab in
      lab.server.otherwise { _ in .answer(body: "ok").closing(at: .end) }
      for number in 1...3 {
        let response = try await lab.client.send(.post(lab.server.url("/"), .text("x")))
        try lab.equal(response.text, "ok", "the answer")
        try await lab.server.waitUntilClosed(connection: number)
      }
      try lab.equal(lab.server.requests.count, 3, "the number of requests")
    },

    Case("does not send a POST twice when a kept connection ends without an answer") { lab in
      let file = try lab.file("body", Data("body".utf8))
      let bodies: [(String, @Sendable () -> Body)] = [
        ("/none", { .none }), ("/bytes", { .text("body") }), ("/file", { .file(file) }),
        ("/form", { .multipart(MultipartForm().field("a", "b")) }),
        ("/stream", { .stream(pieces(of: Data("body".utf8), 2)) }),
        ("/large", { .bytes(Data(count: 300_000)) }),
      ]
      lab.server.on("/warm") { _ in .answer() }
      for fault in [MockAnswer.close, .reset] {
        lab.server.otherwise { _ in fault }
        for (path, body) in bodies {
          for method in [ErrandCore.Method.post, .patch] {
            _ = try await lab.client.send(.get(lab.server.url("/warm")))
            let before = lab.server.count(path)
            try await lab.fails(.connectionLost, reachedServer: true) {
              try await lab.client.send(Request(method, lab.server.url(path), body: body()))
            }
            try lab.equal(lab.server.count(path), before + 1, "how often \(method) \(path) arrived")
          }
        }
      }
    },

    Case("sends a GET at most twice when a kept connection ends without an answer") { lab in
      lab.server.on("/warm") { _ in .answer() }
      lab.server.on("/eat") { _ in .close }
      for method in [ErrandCore.Method.get, .put, .delete] {
        _ = try await lab.client.send(.get(lab.server.url("/warm")))
        let before = lab.server.count("/eat")
        try await lab.fails(.connectionLost, reachedServer: true) {
          try await lab.client.send(Request(method, lab.server.url("/eat")))
        }
        let arrived = lab.server.count("/eat") - before
        try lab.expect(1...2 ~= arrived, "\(method) arrived \(arrived) times")
      }
    },

    Case("tries a GET again by the client's policy, and no POST that may have arrived") { lab in
      let client = lab.client {
        $0.retry = .tries(3)
        $0.retry.backoff = .zero
      }
      lab.server.on("/") { _ in .reset }
      try await lab.fails(.connectionLost) { try await client.send(.post(lab.server.url("/"), .text("x"))) }
      try lab.equal(lab.server.count("/"), 1, "how often POST arrived")
      lab.server.script("POST", "/key", [.reset, .answer(body: "second").closingConnection()])
      let keyed = try await client.send(.post(lab.server.url("/key"), .text("x")).idempotencyKey("k"))
      try lab.equal(keyed.text, "second", "the answer to the POST with a key")
      try lab.equal(
        lab.server.requests.filter { $0.path == "/key" }.map { $0.fields["Idempotency-Key"] },
        ["\"k\"", "\"k\""], "the keys")
      lab.server.script("GET", "/twice", [.reset, .reset, .answer(body: "third")])
      let response = try await client.send(.get(lab.server.url("/twice")))
      try lab.equal(response.text, "third", "the answer")
      try lab.equal(response.timing.tries, 3, "the tries")
      try lab.equal(lab.server.count("/twice"), 3, "how often GET arrived")
    },

    Case("runs many requests at once and mixes none of them up") { lab in
      lab.server.otherwise { .answer(body: "\($0.path) \($0.text)") }
      try await withThrowingTaskGroup { group in
        for number in 0..<200 {
          group.addTask {
            let response = try await lab.client.send(
              .post(lab.server.url("/\(number)"), .text("body \(number)")))
            try lab.equal(response.text, "/\(number) body \(number)", "the answer")
          }
        }
        try await group.waitForAll()
      }
      try lab.equal(lab.server.requests.count, 200, "the number of requests")
    },

    Case("lets no slow answer hold up others to the same host") { lab in
      lab.server.on("/slow") { _ in .stall }
      lab.server.on("/quick") { _ in .answer(body: "quick") }
      let slow = Task { try await lab.client.send(.get(lab.server.url("/slow"))) }
      try await lab.server.waitForRequests(1)
      let quick = try await lab.client.send(.get(lab.server.url("/quick")).timeout(.seconds(5)))
      try lab.equal(quick.text, "quick", "the answer")
      slow.cancel()
      _ = await slow.result
    },
  ]
}
