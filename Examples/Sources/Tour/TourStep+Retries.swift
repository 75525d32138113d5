import Errand
import ErrandTesting
import Foundation
import Synchronization

extension TourStep {
  static let retryAfter = TourStep("503 with Retry-After: 1 is retried after one second") { stage in
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
    stage.promise(
      "two attempts are a second apart", response.timing.attempts == 2 && gap >= .milliseconds(990))
  }

  static let postOnce = TourStep("A POST that may have reached the server is not sent twice") { stage in
    stage.server.script("POST", "/orders", [.close, .response(status: 201, body: "order 2")])
    let error = try await stage.failure(.connectionLost) {
      try await stage.client.send(.post(stage.server.url("/orders"), .text("one pizza")))
    }
    stage.client(error.message)
    stage.server("accepted the order and closed the connection: \(stage.server.count("/orders")) request")
    stage.promise("the server receives one order", stage.server.count("/orders") == 1)
  }

  static let postWithKey = TourStep("A POST with an Idempotency-Key is sent again, and its key identifies it")
  { stage in
    stage.server.script("POST", "/orders", [.close, .response(status: 201, body: "order 1")])
    let response = try await stage.client.send(
      .post(stage.server.url("/orders"), .text("one pizza")).idempotencyKey("pizza-1"))
    stage.client("\(response.status), \(response.text), after \(response.timing.attempts) attempts")
    let keys = stage.server.requests.map { $0.fields["Idempotency-Key"] ?? "none" }
    stage.server("\(keys.count) requests with the keys \(keys.joined(separator: ", "))")
    stage.promise("two attempts have one key", keys == [#""pizza-1""#, #""pizza-1""#])
  }
}

extension TourStep {
  static let flood = TourStep("User-initiated requests do not wait behind many in the background") {
    stage in
    stage.server.on("POST", "/backup") { _ in .response(status: 201) }
    stage.server.on("GET", "/photo") { _ in .response(body: "photo") }
    // The uploads in flight end only after all user-initiated requests have been started.
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
    stage.client("waited for a slot: 6 user-initiated \(seen), 20 in the background \(unseen)")
    let order = stage.server.requests.map { $0.path == "/photo" ? "U" : "b" }.joined()
    stage.server("they arrived in this order (U user-initiated, b background): \(order)")
    stage.promise(
      "user-initiated requests pass all waiting ones", order == "bbUUUUUU" + String(repeating: "b", count: 18)
    )
  }

  private static func waits(of calls: [Call]) async throws -> String {
    var waits: [Duration] = []
    for call in calls { waits.append(try await call.value.timing.queue) }
    return "\(shown(waits.min() ?? .zero)) to \(shown(waits.max() ?? .zero))"
  }

  static let chain = TourStep("A request waits for its dependencies, and fails if one of them fails") {
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
    stage.promise("they are sent in order", server.requests.map(\.path) == ["/login", "/profile", "/avatar"])
    stage.promise("each is sent after the previous response", server.connections.count == 1)

    let expired = client.start(.post(server.url("/expired")))
    let orphan = client.start(.get(server.url("/profile")).after(expired))
    let error = await stage.failure(.dependencyFailed, of: orphan)
    stage.client(error?.message ?? "nothing failed")
    stage.server("\(server.count("/expired")) request for /expired, no further one for /profile")
    stage.promise(
      "the error names the failed dependency", error?.message.contains("/expired failed") ?? false)
    stage.promise("the dependent request is not sent", server.count("/profile") == 1)
  }

  private static func connections(_ server: MockServer) -> String {
    let count = server.connections.count
    return count == 1 ? "one connection" : "\(count) connections"
  }
}
