import ErrandCore

/// Who answers what.
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
    .answer(status: 404, body: "no route for \($0.method) \($0.target)\n")
  }

  /// A later route of the same method and path takes the place of the earlier one.
  mutating func add(_ route: Route) {
    routes.removeAll { $0.method == route.method && $0.path == route.path }
    routes.append(route)
  }

  func route(for request: MockRequest) -> Route {
    routes.first { $0.matches(request) }
      ?? Route(method: nil, path: "*", moment: .body, handler: fallback)
  }
}
