import Errand
import ErrandTesting
import Foundation
import Synchronization

extension TourStep {
  static let retryAfter = TourStep("503 with Retry-After: 1 is retried, when the server said") { stage in
    let times = Mutex<[ContinuousClock.Instant]>([])
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
    stage.server("\(seen.count) requests, \(shown(gap)) apart")
    stage.promise("two attempts, a second apart", response.timing.attempts == 2 && gap >= .milliseconds(990))
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
    stage.promise("two attempts with one key", keys == [#""pizza-1""#, #""pizza-1""#])
  }
}

extension TourStep {
  static let flood = TourStep("What a person looks at does not wait behind a flood in the background") {
    stage in
    stage.server.on("POST", "/backup") { _ in .response(status: 201) }
    stage.server.on("GET", "/photo") { _ in .response(body: "photo") }
    // The uploads in flight end only after all the user-initiated requests have been started.
    let bodies = (0..<20).map { _ in AsyncStream.makeStream(of: Data.self) }
    let flood = bodies.map { body in
      stage.client.start(.post(stage.server.url("/backup"), .stream(body.stream)).inBackground())
    }
    try await stage.server.waitForRequests(2)
    let photo = Request.get(stage.server.url("/photo")).priority(.userInitiated)
    let visible = (0..<6).map { _ in stage.client.start(photo) }
    let seen = try await waits(of: visible)
    for body in bodies { body.continuation.finish() }
    let unseen = try await waits(of: flood)
    stage.client("waited for a slot: 6 visible \(seen), 20 in the background \(unseen)")
    let order = stage.server.requests.map { $0.path == "/photo" ? "V" : "b" }.joined()
    stage.server("they came in this order (V visible, b background): \(order)")
    stage.promise(
      "the visible go before all that waited", order == "bbVVVVVV" + String(repeating: "b", count: 18))
  }

  private static func waits(of calls: [Call]) async throws -> String {
    var waits: [Duration] = []
    for call in calls { waits.append(try await call.value.timing.queue) }
    return "\(shown(waits.min() ?? .zero)) to \(shown(waits.max() ?? .zero))"
  }

  static let chain = TourStep("A request waits for those it depends on, and fails by name if one fails") {
    stage in
    let (server, client) = (stage.server, stage.client)
    server.on("POST", "/login") { _ in .response(body: "welcome").pausing(.milliseconds(20)) }
    server.on("GET", "/profile") { _ in .response(body: "Ada") }
    server.on("GET", "/avatar") { _ in .response(body: "a face") }
    server.on("POST", "/expired") { _ in .response(status: 401) }

    let login = client.start(.post(server.url("/login")))
    let profile = client.start(.get(server.url("/profile")).after(login))
    let avatar = client.start(.get(server.url("/avatar")).after(login, profile))
    stage.client(
      "login: \(try await login.value.text), profile: \(try await profile.value.text), "
        + "avatar: \(try await avatar.value.text)")
    stage.server("\(server.requests.map(\.path).joined(separator: ", then ")), on \(connections(server))")
    stage.promise("one after the other", server.requests.map(\.path) == ["/login", "/profile", "/avatar"])
    stage.promise("none before the one before it was answered", server.connections.count == 1)

    let expired = client.start(.post(server.url("/expired")))
    let orphan = client.start(.get(server.url("/profile")).after(expired))
    let error = await stage.failure(.dependencyFailed, of: orphan)
    stage.client(error?.message ?? "nothing failed")
    stage.server("/expired \(server.count("/expired")) time, /profile no second time")
    stage.promise("the failure names what failed", error?.message.contains("/expired failed") ?? false)
    stage.promise("what depends on it is not sent", server.count("/profile") == 1)
  }

  private static func connections(_ server: MockServer) -> String {
    let count = server.connections.count
    return count == 1 ? "one connection" : "\(count) connections"
  }
}
