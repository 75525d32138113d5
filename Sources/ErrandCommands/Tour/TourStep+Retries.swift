import ErrandCore
import ErrandTesting

extension TourStep {
  static let retryAfter = TourStep("503 with Retry-After: 1 is tried again, when the server said") { stage in
    let times = Locked<[ContinuousClock.Instant]>([])
    stage.server.on("GET", "/busy") { _ in
      let count = times.withLock { times in
        times.append(.now)
        return times.count
      }
      return count == 1 ? .response(status: 503, fields: ["Retry-After": "1"]) : .response(body: "welcome")
    }
    let response = try await stage.client.send(.get(stage.server.url("/busy")))
    stage.client("\(response.status), \(response.text), after \(response.timing.attempts) attempts")
    let seen = times.withLock { $0 }
    let gap = seen.count == 2 ? seen[0].duration(to: seen[1]) : .zero
    stage.server("\(seen.count) requests, \(Amounts.time(gap)) apart")
    stage.promise("two tries, a second apart", response.timing.attempts == 2 && gap >= .milliseconds(990))
  }

  static let postOnce = TourStep("A POST that the server may have seen is not sent twice") { stage in
    stage.server.script("POST", "/orders", [.close, .response(status: 201, body: "order 2")])
    let error = try await stage.failure(.connectionLost) {
      try await stage.client.send(.post(stage.server.url("/orders"), .text("one pizza")))
    }
    stage.client(error.message)
    stage.server("took the order and closed: \(stage.server.count("/orders")) request")
    stage.promise("one order", stage.server.count("/orders") == 1)
  }

  static let postWithKey = TourStep("With an Idempotency-Key it is, and the server can tell") { stage in
    stage.server.script("POST", "/orders", [.close, .response(status: 201, body: "order 1")])
    let response = try await stage.client.send(
      .post(stage.server.url("/orders"), .text("one pizza")).idempotencyKey("pizza-1"))
    stage.client("\(response.status), \(response.text), after \(response.timing.attempts) attempts")
    let keys = stage.server.requests.map { $0.fields["Idempotency-Key"] ?? "none" }
    stage.server("\(keys.count) requests with the keys \(keys.joined(separator: ", "))")
    stage.promise("two tries with one key", keys == [#""pizza-1""#, #""pizza-1""#])
  }
}
