import Errand
import ErrandTesting
import Foundation

extension TourStep {
  static let cancelled = TourStep("Cancelling closes the socket at once") { stage in
    stage.server.on("GET", "/slow") { _ in .stall }
    let task = Task { try await stage.client.send(.get(stage.server.url("/slow"))) }
    try await stage.server.waitForRequests(1)
    let asked = ContinuousClock.now
    task.cancel()
    let error = try await stage.failure(.cancelled) { try await task.value }
    let returned = asked.duration(to: .now)
    let end = try await stage.server.waitUntilClosed(connection: 1)
    let closed = asked.duration(to: .now)
    stage.client("\(error.message), after \(shown(returned))")
    stage.server("connection \(end.rawValue) \(shown(closed)) after cancel()")
    stage.promise("closed within 250 ms", closed < .milliseconds(250) && error.isCancellation)
  }

  static let stalled = TourStep("A time-out ends a request when its server falls silent") {
    stage in
    stage.server.on("GET", "/silent") { _ in .response(body: "a long story").stalling(at: .body(6)) }
    let started = ContinuousClock.now
    let error = try await stage.failure(.timedOut) {
      try await stage.client.send(
        .get(stage.server.url("/silent")).timeout(.milliseconds(300)).bestEffort())
    }
    let took = started.duration(to: .now)
    stage.client("\(error.message), after \(shown(took))")
    let end = try await stage.server.waitUntilClosed(connection: 1)
    stage.server("sent half a response, then nothing; connection \(end.rawValue)")
    stage.promise("it times out after 300 ms", took >= .milliseconds(290) && took < .seconds(2))
  }

  static let deadline = TourStep("A deadline ends a call whose response arrives too slowly") { stage in
    stage.server.on("GET", "/drip") { _ in
      .response(body: String(repeating: "drop ", count: 200)).dripping(1, every: .milliseconds(20))
    }
    let started = ContinuousClock.now
    let error = try await stage.failure(.deadlineExceeded) {
      try await stage.client.send(
        .get(stage.server.url("/drip")).timeout(.milliseconds(200)).deadline(.milliseconds(500)))
    }
    let took = started.duration(to: .now)
    stage.client("\(error.message), after \(shown(took))")
    let end = try await stage.server.waitUntilClosed(connection: 1)
    stage.server("sent a byte every 20 ms; connection \(end.rawValue)")
    stage.promise("it ends after 500 ms", took >= .milliseconds(490) && took < .seconds(2))
  }

  static let shutdown = TourStep("Shutdown finishes requests in flight and refuses new ones") { stage in
    stage.server.on("GET", "/last") { _ in .response(body: "just in time").pausing(.milliseconds(200)) }
    let last = Task { try await stage.client.send(.get(stage.server.url("/last"))) }
    try await stage.server.waitForRequests(1)
    let started = ContinuousClock.now
    let closing = Task { await stage.client.shutdown(within: .seconds(5)) }
    let response = try await last.value
    await closing.value
    stage.client(
      "the request in flight: \(response.status), \(response.text); shut down after \(shown(started.duration(to: .now)))"
    )
    let error = try await stage.failure(.cancelled) {
      try await stage.client.send(.get(stage.server.url("/last")))
    }
    stage.client("a new request: \(error.message)")
    try await stage.server.waitForOpenConnections(0)
    stage.server("\(stage.server.count("/last")) request, \(stage.server.openConnections) connections open")
    stage.promise("one request arrived", stage.server.count("/last") == 1)
    stage.promise("the error has the reason", error.cancellation == .clientShutDown)
  }
}
