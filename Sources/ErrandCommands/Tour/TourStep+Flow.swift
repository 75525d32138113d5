import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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
    return "\(Amounts.time(waits.min() ?? .zero)) to \(Amounts.time(waits.max() ?? .zero))"
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
