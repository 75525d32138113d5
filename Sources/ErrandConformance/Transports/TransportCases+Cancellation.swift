import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TransportConformance {
  static let cancellation: [Case] = [
    Case("can be cancelled while it connects") { harness in
      guard let hole = try BlackHole.silent() else {
        throw ConformanceSkip(reason: "this system cannot leave a connection unaccepted")
      }
      let task = Task { try await harness.client.send(.get("http://127.0.0.1:\(hole.port)/")) }
      // The test cannot see whether the client is already connecting, but the outcome is the same in any case.
      try await Task.sleep(for: .milliseconds(100))
      try await ends(task, harness)
    },

    Case("can be cancelled before it begins") { harness in
      harness.server.otherwise { _ in .response() }
      let gate = StubGate()
      let task = Task {
        try? await gate.pass()
        return try await harness.client.send(.get(harness.server.url("/")))
      }
      try await ends(task, harness)
      try harness.equal(harness.server.requests.count, 0, "the number of received requests")
    },

    Case("closes the connection when it is cancelled before the response, in its fields and in its body") {
      harness in
      let whole = MockResponse.response(fields: ["X-A": "some value"], body: Data(count: 100_000))
      let points: [MockResponse.Point] = [.start, .head(20), .headEnd, .body(50_000)]
      for (number, point) in points.enumerated() {
        harness.server.on("/") { _ in whole.stalling(at: point) }
        let task = Task { try await harness.client.send(.get(harness.server.url("/"))) }
        try await harness.server.wait(for: "the response up to \(point)") { record in
          record.requests.count == number + 1 && record.connections.count == number + 1
            && record.connections[number].bytesSent >= (point == .body(50_000) ? 50_000 : 0)
        }
        try await ends(task, harness)
        let end = try await harness.server.waitUntilClosed(connection: number + 1)
        try harness.expect(end == .closedByClient || end == .resetByClient, "\(end)")
      }
    },

    Case("closes the connection when it is cancelled while it sends") { harness in
      harness.server.otherwise { _ in .response() }
      let (chunks, source) = AsyncStream<Data>.makeStream()
      defer { source.finish() }
      let task = Task { try await harness.client.send(.post(harness.server.url("/"), .stream(chunks))) }
      source.yield(Data("first".utf8))
      try await harness.server.wait(for: "the first piece") { $0.requests.first?.bodyBytes == 5 }
      try await ends(task, harness)
      try await harness.server.waitUntilClosed(connection: 1)
      try harness.expect(!harness.server.requests[0].isComplete, "the server received a complete request")
    },

    Case("closes the connection when it is cancelled while the server does not read") { harness in
      harness.server.on("POST", "/", at: .head) { _ in MockResponse.stall.withoutReading() }
      let task = Task {
        try await harness.client.send(.post(harness.server.url("/"), .bytes(Data(count: 50_000_000))))
      }
      try await harness.server.waitForRequests(1)
      try await ends(task, harness)
    },

    Case("closes the connection when a download is cancelled, and leaves no file") { harness in
      harness.server.on("/") { _ in .response(body: Data(count: 1_000_000)).stalling(at: .body(500_000)) }
      let target = try harness.folder().appending(path: "file")
      let task = Task { try await harness.client.download(.get(harness.server.url("/")), to: target) }
      try await harness.server.wait(for: "half the body") { $0.connections.first?.bytesSent ?? 0 > 500_000 }
      try await ends(task, harness)
      try await harness.server.waitUntilClosed(connection: 1)
      try harness.equal(try harness.names(), [], "the folder")
    },

    Case("closes the connection when the consumer of a stream is cancelled") { harness in
      harness.server.on("/") { _ in .response(body: Data(count: 1000)).stalling(at: .body(10)) }
      let task = Task {
        let response = try await harness.client.stream(.get(harness.server.url("/")))
        for try await _ in response.chunks {}
        return response
      }
      try await harness.server.wait(for: "a part of the body") { $0.connections.first?.bytesSent ?? 0 > 10 }
      try await ends(task, harness)
      try await harness.server.waitUntilClosed(connection: 1)
    },

    Case("closes the connection when a stream is released") { harness in
      harness.server.on("/") { _ in .response(body: Data(count: 50_000_000)) }
      var response: Response? = try await harness.client.stream(.get(harness.server.url("/")))
      try harness.equal(response?.status, 200, "the status")
      response = nil
      try await harness.server.waitUntilClosed(connection: 1)
    },

    Case("does not disturb other requests when one is cancelled") { harness in
      harness.server.on("/stall") { _ in .stall }
      harness.server.on("/drip") { _ in .response(body: "0123456789").dripping(1, every: .milliseconds(20)) }
      async let dripping = harness.client.send(.get(harness.server.url("/drip")))
      for round in 1...5 {
        let task = Task { try await harness.client.send(.get(harness.server.url("/stall"))) }
        try await harness.server.waitForRequests(round, path: "/stall")
        try await ends(task, harness)
      }
      let text = try await dripping.text
      try harness.equal(text, "0123456789", "the body")
    },

    Case("cancels requests in flight when the client shuts down without waiting") { harness in
      let client = harness.client { _ in }
      harness.server.on("/") { _ in .stall }
      let task = Task { try await client.send(.get(harness.server.url("/"))) }
      try await harness.server.waitForRequests(1)
      await client.shutdown(within: .zero)
      try await ends(task, harness, .clientShutDown, cancels: false)
      try await harness.server.waitForOpenConnections(0)
    },

    Case("closes its idle connections when the client shuts down, and accepts no more requests") { harness in
      let client = harness.client { _ in }
      harness.server.on("/") { _ in .response() }
      _ = try await client.send(.get(harness.server.url("/")))
      try harness.equal(harness.server.openConnections, 1, "the open connections")
      await client.shutdown()
      try await harness.server.waitForOpenConnections(0)
      let error = try await harness.fails(.cancelled) { try await client.send(.get(harness.server.url("/"))) }
      try harness.equal(error.cancellation, .clientShutDown, "the reason")
    },
  ]

  /// Cancels the task and checks that it fails with a cancellation.
  private static func ends(
    _ task: Task<Response, any Error>, _ harness: TransportHarness,
    _ reason: CancellationReason = .taskCancelled,
    cancels: Bool = true
  ) async throws {
    if cancels { task.cancel() }
    let error = try await harness.fails(.cancelled) { try await task.value }
    try harness.expect(error.isCancellation, "\(error) is not a cancellation")
    try harness.equal(error.cancellation, reason, "the reason")
  }
}
