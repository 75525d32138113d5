public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An HTTP/1.1 server on 127.0.0.1 for tests: it responds, stalls, drips, sends wrong lengths, and closes and
/// resets connections as told. It keeps connections alive, accepts chunked bodies, and records all it sees.
///
/// ```swift
/// let server = try MockServer()
/// server.on("GET", "/hello") { _ in .response(body: "hello") }
/// server.script("GET", "/flaky", [.reset, .response(status: 503), .response(body: "at last")])
/// let response = try await client.send(.get(server.url("/flaky")))
/// #expect(server.count("/flaky") == 3)
/// ```
///
/// The server and its handlers run on one thread of its own: a handler that blocks makes every client wait.
/// The server stops and closes all connections when its last reference is released.
public final class MockServer: Sendable {
  /// Returns the response to a request. Called on the server's thread.
  public typealias Handler = @Sendable (MockRequest) -> MockResponse

  /// When a route's handler is called.
  public enum Moment: Sendable, Hashable {
    /// When the whole body has arrived.
    case body
    /// When the head has arrived. The body is read while the response is sent.
    case head
  }

  /// The requests and connections that a server has seen until now.
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
  /// - Parameter port: The port; 0 for a free one. Default: 0.
  /// - Throws: `MockServerError` if the port is taken.
  public init(port: Int = 0) throws {
    loop = try ServerLoop(port: port)
    loop.start()
  }

  /// Starts a server on every address, so that it can be reached from other machines or other networks of
  /// this one.
  package init(onEveryAddress: Void) throws {
    loop = try ServerLoop(port: 0, isOpen: true)
    loop.start()
  }

  deinit { loop.stop() }

  /// Stops the server: closes the listener and every connection, then returns.
  public func stop() { loop.stop() }

  public var port: Int { loop.port }

  /// `http://127.0.0.1:port`
  public var url: URL { url("") }

  /// Returns the URL of a path, which may have a query.
  /// - Parameter path: Percent-encoded, with the slash before it.
  public func url(_ path: String) -> URL {
    guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else {
      preconditionFailure("\(path.debugDescription) is no path of a URL")
    }
    return url
  }

  // MARK: Routes

  /// Adds a route for a method and a path. Replaces an earlier one for the same.
  /// - Parameters:
  ///   - path: The path without the query. With a `*` at its end: every path with this prefix.
  ///   - moment: When the handler is called. Default: when the body has arrived.
  public func on(
    _ method: HTTPMethod, _ path: String, at moment: Moment = .body, _ handler: @escaping Handler
  ) {
    add(method, path, moment, handler)
  }

  /// Adds a route for a path, for any method.
  public func on(_ path: String, at moment: Moment = .body, _ handler: @escaping Handler) {
    add(nil, path, moment, handler)
  }

  /// Adds a route that sends the nth response for the nth request, and the last one for all later requests.
  public func script(
    _ method: HTTPMethod, _ path: String, at moment: Moment = .body, _ responses: [MockResponse]
  ) {
    let script = Script(responses)
    add(method, path, moment) { _ in script.next() }
  }

  /// Adds a route for any method that sends the nth response for the nth request, and the last one for all
  /// later requests.
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

  /// Sets the handler for requests that no route matches. Default: a 404.
  public func otherwise(_ handler: @escaping Handler) {
    loop.routes.withLock { $0.fallback = handler }
  }

  private final class Script: Sendable {
    private let responses: [MockResponse]
    private let position = Locked(0)

    init(_ responses: [MockResponse]) {
      precondition(!responses.isEmpty, "a script needs a response")
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

  /// All requests, with the parts of their bodies that have arrived.
  public var requests: [MockRequest] { loop.journal.requests }

  /// All connections.
  public var connections: [MockConnection] { loop.journal.record.connections }

  /// The number of open connections.
  public var openConnections: Int { loop.journal.record.openConnections }

  /// Returns the number of requests for a path, with any query.
  public func count(_ path: String) -> Int {
    loop.journal.record.requests.count { $0.path == path }
  }

  /// Waits until the condition holds. The condition is checked after each event, without polling.
  /// - Parameters:
  ///   - what: A description of the condition, for the error.
  ///   - limit: The longest wait. Default: 20 s.
  /// - Throws: `MockServerError` after the limit, with what the server saw; `CancellationError`.
  @discardableResult
  public func wait(
    for what: String, within limit: Duration = .seconds(20),
    until condition: @escaping @Sendable (Record) -> Bool
  ) async throws -> Record {
    try await loop.journal.wait(
      for: what, until: .now + limit, wake: { [loop] in loop.wake() }, condition)
  }
}

/// The routes of a server, and the handler for all other requests.
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
