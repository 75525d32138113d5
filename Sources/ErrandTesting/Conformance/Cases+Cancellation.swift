import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TransportConformance {
  static let cancellation: [Case] = [
    Case("can be cancelled while it connects") { lab in
      guard let hole = try BlackHole.silent() else {
        throw ConformanceSkip(reason: "this system has no way to leave a connection unanswered")
      }
      let task = Task { try await lab.client.send(.get("http://127.0.0.1:\(hole.port)/")) }
      // Nobody can see from outside that it connects; whenever the cancel comes, the outcome is the same.
      try await Task.sleep(for: .milliseconds(100))
      try await ends(task, lab)
    },

    Case("can be cancelled before it begins") { lab in
      lab.server.otherwise { _ in .answer() }
      let gate = StubGate()
      let task = Task {
        try? await gate.pass()
        return try await lab.client.send(.get(lab.server.url("/")))
      }
      try await ends(task, lab)
      try lab.equal(lab.server.requests.count, 0, "the requests that came")
    },

    Case("closes the connection when it is cancelled before the answer, in its fields and in its body") {
      lab in
      let whole = MockAnswer.answer(fields: ["X-A": "some value"], body: Data(count: 100_000))
      let points: [MockAnswer.Point] = [.start, .head(20), .headEnd, .body(50_000)]
      for (number, point) in points.enumerated() {
        lab.server.on("/") { _ in whole.stalling(at: point) }
        let task = Task { try await lab.client.send(.get(lab.server.url("/"))) }
        try await lab.server.wait(for: "the answer up to \(point)") { record in
          record.requests.count == number + 1 && record.connections.count == number + 1
            && record.connections[number].bytesSent >= (point == .body(50_000) ? 50_000 : 0)
        }
        try await ends(task, lab)
        let end = try await lab.server.waitUntilClosed(connection: number + 1)
        try lab.expect(end == .closedByClient || end == .resetByClient, "\(end)")
      }
    },

    Case("closes the connection when it is cancelled while it sends") { lab in
      lab.server.otherwise { _ in .answer() }
      let (chunks, source) = AsyncStream<Data>.makeStream()
      defer { source.finish() }
      let task = Task { try await lab.client.send(.post(lab.server.url("/"), .stream(chunks))) }
      source.yield(Data("first".utf8))
      try await lab.server.wait(for: "the first piece") { $0.requests.first?.bodyBytes == 5 }
      try await ends(task, lab)
      try await lab.server.waitUntilClosed(connection: 1)
      try lab.expect(!lab.server.requests[0].isComplete, "the request was whole to the server")
    },

    Case("closes the connection when it is cancelled while the server does not read") { lab in
      lab.server.on("POST", "/", at: .head) { _ in MockAnswer.stall.withoutReading() }
      let task = Task {
        try await lab.client.send(.post(lab.server.url("/"), .bytes(Data(count: 50_000_000))))
      }
      try await lab.server.waitForRequests(1)
      try await ends(task, lab)
    },

    Case("closes the connection when a download is cancelled, and leaves no file") { lab in
      lab.server.on("/") { _ in .answer(body: Data(count: 1_000_000)).stalling(at: .body(500_000)) }
      let target = try lab.folder().appending(path: "file")
      let task = Task { try await lab.client.download(.get(lab.server.url("/")), to: target) }
      try await lab.server.wait(for: "half the body") { $0.connections.first?.bytesSent ?? 0 > 500_000 }
      try await ends(task, lab)
      try await lab.server.waitUntilClosed(connection: 1)
      try lab.equal(try lab.names(), [], "the folder")
    },

    Case("closes the connection when the consumer of a stream is cancelled") { lab in
      lab.server.on("/") { _ in .answer(body: Data(count: 1000)).stalling(at: .body(10)) }
      let task = Task {
        let response = try await lab.client.stream(.get(lab.server.url("/")))
        for try await _ in response.chunks {}
        return response
      }
      try await lab.server.wait(for: "a part of the body") { $0.connections.first?.bytesSent ?? 0 > 10 }
      try await ends(task, lab)
      try await lab.server.waitUntilClosed(connection: 1)
    },

    Case("closes the connection when a stream is let go") { lab in
      lab.server.on("/") { _ in .answer(body: Data(count: 50_000_000)) }
      var response: Response? = try await lab.client.stream(.get(lab.server.url("/")))
      try lab.equal(response?.status, 200, "the status")
      response = nil
      try await lab.server.waitUntilClosed(connection: 1)
    },

    Case("does not disturb other requests when one is cancelled") { lab in
      lab.server.on("/stall") { _ in .stall }
      lab.server.on("/drip") { _ in .answer(body: "0123456789").dripping(1, every: .milliseconds(20)) }
      async let dripping = lab.client.send(.get(lab.server.url("/drip")))
      for round in 1...5 {
        let task = Task { try await lab.client.send(.get(lab.server.url("/stall"))) }
        try await lab.server.waitForRequests(round, path: "/stall")
        try await ends(task, lab)
      }
      let text = try await dripping.text
      try lab.equal(text, "0123456789", "the body")
    },

    Case("ends what is in flight when the client shuts down by force") { lab in
      let client = lab.client { _ in }
      lab.server.on("/") { _ in .stall }
      let task = Task { try await client.send(.get(lab.server.url("/"))) }
      try await lab.server.waitForRequests(1)
      await client.shutdown(within: .zero)
      try await ends(task, lab, .clientShutDown, cancels: false)
      try await lab.server.waitForOpenConnections(0)
    },

    Case("closes its idle connections when the client shuts down, and takes nothing more") { lab in
      let client = lab.client { _ in }
      lab.server.on("/") { _ in .answer() }
      _ = try await client.send(.get(lab.server.url("/")))
      try lab.equal(lab.server.openConnections, 1, "the open connections")
      await client.shutdown()
      try await lab.server.waitForOpenConnections(0)
      let error = try await lab.fails(.cancelled) { try await client.send(.get(lab.server.url("/"))) }
      try lab.equal(error.cancellation, .clientShutDown, "the reason")
    },
  ]

  /// Cancels the task; it must end as cancelled.
  private static func ends(
    _ task: Task<Response, any Error>, _ lab: ConformanceLab, _ reason: CancellationReason = .taskCancelled,
    cancels: Bool = true
  ) async throws {
    if cancels { task.cancel() }
    let error = try await lab.fails(.cancelled) { try await task.value }
    try lab.expect(error.isCancellation, "\(error) is no cancellation")
    try lab.equal(error.cancellation, reason, "the reason")
  }
}
