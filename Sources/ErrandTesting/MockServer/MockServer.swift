public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An HTTP/1.1 server on 127.0.0.1 for tests. Its routes decide whether it responds, stalls, drips, sends wrong
/// lengths, or closes or resets the connection. It keeps connections alive, accepts chunked bodies, and records
/// all requests and connections.
///
/// ```swift
/// let server = try MockServer()
/// server.on("GET", "/hello") { _ in .response(body: "hello") }
/// server.script("GET", "/flaky", [.reset, .response(status: 503), .response(body: "at last")])
/// let response = try await client.send(.get(server.url("/flaky")))
/// #expect(server.count("/flaky") == 3)
/// ```
///
/// The server and its handlers run on one dedicated thread, so a handler that blocks makes every client wait.
/// When its last reference is released, the server closes all connections and stops.
public final class MockServer: Sendable {
  /// Returns the response to a request. Called on the server's thread.
  public typealias Handler = @Sendable (MockRequest) -> MockResponse

  /// The moment at which a route's handler is called.
  public enum Moment: Sendable, Hashable {
    /// After the whole body has arrived.
    case body
    /// After the head has arrived. The server reads the body while it sends the response.
    case head
  }

  /// The requests and connections that a server has received so far.
  public struct Record: Sendable, CustomStringConvertible {
    /// The requests, in the order in which their heads were complete.
    public internal(set) var requests: [MockRequest] = []
    /// The connections, in the order in which they were accepted.
    public internal(set) var connections: [MockConnection] = []

    /// The number of open connections.
    public var openConnections: Int { connections.count(where: \.isOpen) }

    public var description: String {
      let last = requests.suffix(5).map(\.description) + connections.suffix(5).map(\.description)
      return "\(requests.count) requests, \(openConnections) of \(connections.count) connections open; "
        + last.joined(separator: "; ")
    }
  }

  private let loop: ServerLoop

  /// Starts a server.
  /// - Parameter port: The port; 0 selects a free one. Default: 0.
  /// - Throws: `MockServerError` if the port is in use.
  public init(port: Int = 0) throws {
    loop = try ServerLoop(port: port)
    loop.start()
  }

  /// Starts a server on every address of this machine, so that other machines and network namespaces can reach it.
  package init(onEveryAddress: Void) throws {
    loop = try ServerLoop(port: 0, isOpen: true)
    loop.start()
  }

  deinit { loop.stop() }

  /// Closes the listener and every connection, then returns. Further calls do nothing.
  public func stop() { loop.stop() }

  /// The port at which the server listens.
  public var port: Int { loop.port }

  /// The URL of the server without a path: `http://127.0.0.1:port`.
  package var url: URL { url("") }

  /// Returns the URL of a path.
  /// - Parameter path: The percent-encoded path, beginning with a slash. It may have a query.
  public func url(_ path: String) -> URL {
    guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else {
      preconditionFailure("\(path.debugDescription) is not a valid path of a URL")
    }
    return url
  }

  // MARK: Routes

  /// Adds a route for a method and a path. It replaces an earlier route with the same method and path.
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The path without the query. A `*` at its end matches every path with this prefix.
  ///   - moment: The moment at which the handler is called. Default: after the body has arrived.
  ///   - handler: Returns the response to a request.
  public func on(
    _ method: HTTPMethod, _ path: String, at moment: Moment = .body, _ handler: @escaping Handler
  ) {
    add(method, path, moment, handler)
  }

  /// Adds a route for a path and any method.
  public func on(_ path: String, at moment: Moment = .body, _ handler: @escaping Handler) {
    add(nil, path, moment, handler)
  }

  /// Adds a route that sends the nth response to the nth request, and the last one to all later requests.
  public func script(
    _ method: HTTPMethod, _ path: String, at moment: Moment = .body, _ responses: [MockResponse]
  ) {
    let script = Script(responses)
    add(method, path, moment) { _ in script.next() }
  }

  /// Adds a route for any method that sends the nth response to the nth request, and the last one to all later
  /// requests.
  public func script(_ path: String, at moment: Moment = .body, _ responses: [MockResponse]) {
    let script = Script(responses)
    add(nil, path, moment) { _ in script.next() }
  }

  private func add(
    _ method: HTTPMethod?, _ path: String, _ moment: Moment, _ handler: @escaping Handler
  ) {
    loop.routes.withLock { routes in
      routes.add(ServerRoutes.Route(method: method, path: path, moment: moment, handler: handler))
    }
  }

  /// Sets the handler for requests that no route matches. By default they get a 404.
  public func otherwise(_ handler: @escaping Handler) {
    loop.routes.withLock { $0.fallback = handler }
  }

  private final class Script: Sendable {
    private let responses: [MockResponse]
    private let position = Locked(0)

    init(_ responses: [MockResponse]) {
      precondition(!responses.isEmpty, "a script needs at least one response")
      self.responses = responses
    }

    func next() -> MockResponse {
      position.withLock { position in
        defer { position = min(position + 1, responses.count - 1) }
        return responses[position]
      }
    }
  }

  // MARK: Records

  /// All requests so far, with the parts of their bodies that have arrived.
  public var requests: [MockRequest] { loop.journal.requests }

  /// All connections so far, including ended ones.
  public var connections: [MockConnection] { loop.journal.record.connections }

  /// The number of open connections.
  public var openConnections: Int { loop.journal.record.openConnections }

  /// Returns the number of requests for a path, with any method and query.
  public func count(_ path: String) -> Int {
    loop.journal.record.requests.count { $0.path == path }
  }

  /// Waits until a condition holds, and returns the record. The condition is checked after each event, without
  /// polling.
  /// - Parameters:
  ///   - what: A description of the condition, for the error.
  ///   - limit: The longest wait. Default: 20 s.
  ///   - condition: Returns true if the record meets the condition.
  /// - Throws: `MockServerError` with the last record after the limit, or `CancellationError`.
  @discardableResult
  public func wait(
    for what: String, within limit: Duration = .seconds(20),
    until condition: @escaping @Sendable (Record) -> Bool
  ) async throws -> Record {
    try await loop.journal.wait(
      for: what, until: .now + limit, wake: { [loop] in loop.wake() }, condition)
  }
}

/// The routes of a server, and the handler for requests that no route matches.
struct ServerRoutes: Sendable {
  struct Route: Sendable {
    let method: HTTPMethod?
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

  /// Adds a route. It replaces an earlier route with the same method and path.
  mutating func add(_ route: Route) {
    routes.removeAll { $0.method == route.method && $0.path == route.path }
    routes.append(route)
  }

  func route(for request: MockRequest) -> Route {
    routes.first { $0.matches(request) }
      ?? Route(method: nil, path: "*", moment: .body, handler: fallback)
  }
}
