import Errand
import ErrandTesting
import Foundation
import Synchronization

extension TourStep {
  static let poppedPage = TourStep(
    "Popping a page cancels its ten requests, and those of the page below continue"
  ) { stage in
    let (server, client) = (stage.server, stage.client)
    let film = Data(count: 8_000_000)
    server.on("GET", "/comments") { _ in .stall }
    server.on("GET", "/film") { _ in .response(body: film).dripping(4000, every: .milliseconds(5)) }
    server.on("POST", "/draft") { _ in .response(body: "saved") }
    client.limits.perOrigin = 5

    let stack = ScopeStack("app")
    let list = stack.push("list")
    // The upload lasts until its stream is finished.
    let (draft, writer) = AsyncStream.makeStream(of: Data.self)
    writer.yield(Data("half a ".utf8))
    let below = client.start(.post(server.url("/draft"), .stream(draft)), in: list)
    try await server.waitForRequests(1)

    let page = stack.push("post")
    func ask(_ path: String, _ count: Int) -> [Call] {
      (0..<count).map { _ in client.start(.get(server.url(path)), in: page) }
    }
    var calls = ask("/comments", 2)
    try await server.waitForRequests(2, path: "/comments")
    calls += ask("/film", 2)
    try await server.wait(for: "two films") { $0.connections.count { $0.bytesSent >= 12_000 } == 2 }
    calls += ask("/photo", 6)
    stage.client("the page has \(page.count) requests: 4 are in flight, 6 wait for a slot")

    let asked = ContinuousClock.now
    stack.pop()
    var errors: [RequestError] = []
    for call in calls { if let error = await stage.failure(.cancelled, of: call) { errors.append(error) } }
    let returned = asked.duration(to: .now)
    try await server.waitForOpenConnections(1)
    let closed = asked.duration(to: .now)
    stage.client(
      "pop(): \(errors.count) errors \"\(errors.first?.message ?? "")\", after \(shown(returned))")
    let ended = server.connections.filter { !$0.isOpen }
    stage.server(
      "\(ended.count) connections closed \(shown(closed)) after pop(); sent of 2 films of 8 MB: "
        + shown(bytes: ended.reduce(0) { $0 + $1.bytesSent }))

    writer.yield(Data("page".utf8))
    writer.finish()
    let response = try await below.value
    stage.client("the page below: \(response.status), \(response.text)")
    // This request follows the cancelled ones in the queue, so they would have been sent before it.
    try await client.send(.post(server.url("/draft"), .text("another")), in: list)
    stage.server(
      "received \"\(server.requests.first?.text ?? "")\" completely, and \(server.count("/photo")) waiting requests"
    )
    stage.promise(
      "the page's end cancels ten requests",
      errors.count { $0.cancellation == .scopeEnded("post") } == 10 && page.count == 0)
    stage.promise("their sockets are closed", ended.count == 4)
    stage.promise(
      "the rest of the films is not transferred",
      ended.reduce(0) { $0 + $1.bytesSent } < 2 * film.count)
    stage.promise("the waiting requests are never sent", server.count("/photo") == 0)
    stage.promise(
      "the page below is not affected", server.requests.first?.text == "half a page" && !list.isCancelled)
  }

  private final class Profile: RequestOwner, Sendable {
    let requests = RequestScope("profile")
  }

  static let ownerGone = TourStep("A request is cancelled when its owner is deallocated") { stage in
    stage.server.on("GET", "/me") { _ in .stall }
    let isTold = Mutex(false)
    var page: Profile? = Profile()
    weak var left = page
    let call = page.map { owner in
      stage.client.send(.get(stage.server.url("/me")), for: owner) { _, _ in isTold.withLock { $0 = true } }
    }
    try await stage.server.waitForRequests(1)
    withExtendedLifetime(page) {}
    page = nil
    stage.promise("the request does not keep its owner alive", left == nil)
    guard let call, let error = await stage.failure(.cancelled, of: call) else {
      throw TourFailure(description: "the request was not cancelled")
    }
    stage.client("the page is deallocated: \(error.message); its handler is not called")
    let end = try await stage.server.waitUntilClosed(connection: 1)
    stage.server("connection \(end.rawValue)")
    stage.promise("the error names the page's scope", error.cancellation == .scopeEnded("profile"))
    stage.promise("the handler is not called", !isTold.withLock { $0 })
  }
}
