import ErrandCore

/// The routes of a server, and the handler for all other requests.
struct ServerRoutes: Sendable {
  struct Route: Sendable {
    let method: ErrandCore.Method?
    let path: String
    let moment: MockServer.Moment
    let handler: MockServer.Handler

    func matches(_ request: MockRequest) -> Bool {
      guard method == nil || method == request.method else { return false }
      return path.hasSuffix("*") ? request.path.hasPrefix(path.dropLast()) : request.path == path
    }
  }

  private var routes: [Route] = []
  var fallback: MockServer.Handler = {
    .response(status: 404, body: "no route for \($0.method) \($0.target)\n")
  }

  /// Adds a route. It replaces an earlier one of the same method and path.
  mutating func add(_ route: Route) {
    routes.removeAll { $0.method == route.method && $0.path == route.path }
    routes.append(route)
  }

  func route(for request: MockRequest) -> Route {
    routes.first { $0.matches(request) }
      ?? Route(method: nil, path: "*", moment: .body, handler: fallback)
  }
}
