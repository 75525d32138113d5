import Errand
import ErrandTesting
import Foundation

extension TourStep {
  private struct User: Codable, Equatable {
    let id: Int
    let name: String
  }

  static let json = TourStep("A JSON response is decoded into a Swift value") { stage in
    stage.server.on("GET", "/users") { _ in
      .response(fields: ["Content-Type": "application/json"], body: #"{"id": 7, "name": "Ada"}"#)
    }
    let request = Request.get(stage.server.url("/users")).query("name", "Ada & Co.")
    let response = try await stage.client.send(request.expecting(contentType: "application/json"))
    let user = try response.decode(User.self)
    stage.client("User(id: \(user.id), name: \(user.name)), total \(shown(response.timing.total))")
    let seen = stage.server.requests
    stage.server(seen.map { "\($0.method) \($0.target)" }.joined(separator: ", "))
    stage.promise("the decoded user is Ada", user == User(id: 7, name: "Ada"))
    stage.promise("the query arrives encoded", seen.first?.query == "name=Ada%20%26%20Co.")
  }

  static let keepAlive = TourStep("Requests reuse a connection") { stage in
    stage.server.on("GET", "/") { _ in .response(body: "hello") }
    var reused: [Bool] = []
    for _ in 1...5 {
      let response = try await stage.client.send(.get(stage.server.url("/")))
      reused.append(response.timing.connectionReused ?? false)
    }
    stage.client("5 responses, connection " + reused.map { $0 ? "reused" : "new" }.joined(separator: ", "))
    let connections = stage.server.connections
    stage.server("\(connections.count) connection with \(connections.first?.requests ?? 0) requests")
    stage.promise(
      "all requests use one connection",
      connections.count == 1 && reused == [false] + Array(repeating: true, count: 4)
    )
  }

  static let clearErrors = TourStep("An invalid request is an error with a reason, never a crash") {
    stage in
    for url in ["example.com/path", "ftp://example.com", "http://two words.com"] {
      let error = try await stage.failure(.invalidRequest) { try await stage.client.send(.get(url)) }
      stage.client(error.description)
    }
    let smuggled = Request.get(stage.server.url("/")).field("X-Name", "a\r\nX-Evil: b")
    let error = try await stage.failure(.invalidRequest) { try await stage.client.send(smuggled) }
    stage.client(error.message)
    stage.server("\(stage.server.requests.count) requests")
    stage.promise("no request is sent", stage.server.requests.isEmpty)
  }

  static let credentials = TourStep("A redirect to another origin does not carry credentials along") {
    stage in
    let other = try MockServer()
    defer { other.stop() }
    let landing = other.url("/landing").absoluteString
    other.on("GET", "/landing") { _ in .response(body: "landed") }
    stage.server.on("GET", "/start") { _ in .redirect(302, to: landing) }
    let response = try await stage.client.send(.get(stage.server.url("/start")).bearer("secret"))
    stage.client("\(response.status), \(response.timing.redirects) redirect, \(response.text)")
    func credentials(_ requests: [MockRequest]) -> String {
      requests.first.map { $0.fields["Authorization"] == nil ? "no Authorization" : "Authorization" }
        ?? "nothing"
    }
    let (first, second) = (credentials(stage.server.requests), credentials(other.requests))
    stage.server("the first server received \(first), the second \(second)")
    stage.promise(
      "only the first server receives Authorization", first == "Authorization" && second == "no Authorization"
    )
  }

  static let validation = TourStep("An unexpected response is an error") { stage in
    stage.server.on("GET", "/missing") { _ in .response(status: 404, body: #"{"why": "no such thing"}"#) }
    stage.server.on("GET", "/page") { _ in .response(fields: ["Content-Type": "text/html"], body: "<html>") }
    stage.server.on("GET", "/empty") { _ in .response() }
    let client = stage.client
    let missing = try await stage.failure(.rejected) {
      try await client.send(.get(stage.server.url("/missing")))
    }
    stage.client(
      "\(missing.message); its body: \(String(decoding: missing.bodyPrefix ?? .init(), as: UTF8.self))")
    let page = try await stage.failure(.rejected) {
      try await client.send(.get(stage.server.url("/page")).expecting(contentType: "application/json"))
    }
    stage.client(page.message)
    let empty = try await stage.failure(.rejected) {
      try await client.send(.get(stage.server.url("/empty")).expectingBody())
    }
    stage.client(empty.message)
    stage.server("\(stage.server.requests.count) requests: a rejected response is not requested again")
    stage.promise("each request is sent once", stage.server.requests.count == 3)
    stage.promise("the error carries the body", missing.bodyPrefix?.count == 24)
  }
}
