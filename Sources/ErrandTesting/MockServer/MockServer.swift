public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An HTTP/1.1 server on 127.0.0.1 that does what it is told: answers, stalls, drips, lies about lengths, closes and
/// resets where it should not. It keeps connections alive, takes chunked bodies, and remembers all it saw.
///
/// ```swift
/// let server = try MockServer()
/// server.on("GET", "/hello") { _ in .answer(body: "hello") }
/// server.script("GET", "/flaky", [.reset, .answer(status: 503), .answer(body: "at last")])
/// let response = try await client.send(.get(server.url("/flaky")))
/// #expect(server.count("/flaky") == 3)
/// ```
///
/// All of it runs on one thread of the server's own, handlers too: a handler that waits makes every client wait. It
/// stops, and closes everything, when nobody holds it any more.
public final class MockServer: Sendable {
  /// Makes the answer to a request. Called on the server's thread.
  public typealias Handler = @Sendable (MockRequest) -> MockAnswer

  /// When a route's handler is called.
  public enum Moment: Sendable, Hashable {
    /// When the whole body is here.
    case body
    /// When the head is here. The body is read while the answer goes out.
    case head
  }

  /// What a server saw until now.
  public struct Record: Sendable, CustomStringConvertible {
    /// In the order in which their heads were complete.
    public internal(set) var requests: [MockRequest] = []
    /// In the order in which they were accepted.
    public internal(set) var connections: [MockConnection] = []

    /// How many connections are open.
    public var openConnections: Int { connections.count(where: \.isOpen) }

    public var description: String {
      let last = requests.suffix(5).map(\.description) + connections.suffix(5).map(\.description)
      return "\(requests.count) requests, \(openConnections) of \(connections.count) connections open; "
        + last.joined(separator: "; ")
    }
  }

  private let loop: ServerLoop

  /// Starts a server.
  /// - Parameter port: Default: a free one.
  /// - Throws: `MockServerError` if the port is taken.
  public init(port: Int = 0) throws {
    loop = try ServerLoop(port: port)
    loop.start()
  }

  /// A server that can be reached from other machines, or from other networks of this one.
  package init(onEveryAddress: Void) throws {
    loop = try ServerLoop(port: 0, isOpen: true)
    loop.start()
  }

  deinit { loop.stop() }

  /// Closes the listener and every connection. Returns when that is done.
  public func stop() { loop.stop() }

  public var port: Int { loop.port }

  /// `http://127.0.0.1:port`
  public var url: URL { url("") }

  /// The URL of a path, with its query.
  /// - Parameter path: Percent-encoded, with the slash before it.
  public func url(_ path: String) -> URL {
    guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else {
      preconditionFailure("\(path.debugDescription) is no path of a URL")
    }
    return url
  }

  // MARK: What it answers

  /// Answers requests of a method and a path, in place of what did so before.
  /// - Parameters:
  ///   - path: Without the query. With a `*` at its end: every path that begins like it.
  ///   - moment: When the handler is called. Default: when the body is here.
  public func on(
    _ method: ErrandCore.Method, _ path: String, at moment: Moment = .body, _ handler: @escaping Handler
  ) {
    add(method, path, moment, handler)
  }

  /// Answers requests of a path, whatever their method.
  public func on(_ path: String, at moment: Moment = .body, _ handler: @escaping Handler) {
    add(nil, path, moment, handler)
  }

  /// Answers the nth request of a method and a path with the nth answer, and all that come later with the last.
  public func script(
    _ method: ErrandCore.Method, _ path: String, at moment: Moment = .body, _ answers: [MockAnswer]
  ) {
    let script = Script(answers)
    add(method, path, moment) { _ in script.next() }
  }

  /// Answers the nth request of a path with the nth answer, and all that come later with the last.
  public func script(_ path: String, at moment: Moment = .body, _ answers: [MockAnswer]) {
    let script = Script(answers)
    add(nil, path, moment) { _ in script.next() }
  }

  private func add(
    _ method: ErrandCore.Method?, _ path: String, _ moment: Moment, _ handler: @escaping Handler
  ) {
    loop.routes.withLock { routes in
      routes.add(ServerRoutes.Route(method: method, path: path, moment: moment, handler: handler))
    }
  }

  /// Answers what no route matches. Default: 404.
  public func otherwise(_ handler: @escaping Handler) {
    loop.routes.withLock { $0.fallback = handler }
  }

  private final class Script: Sendable {
    private let answers: [MockAnswer]
    private let position = Locked(0)

    init(_ answers: [MockAnswer]) {
      precondition(!answers.isEmpty, "a script needs an answer")
      self.answers = answers
    }

    func next() -> MockAnswer {
      position.withLock { position in
        defer { position = min(position + 1, answers.count - 1) }
        return answers[position]
      }
    }
  }

  // MARK: What it saw

  /// Every request, with as much of its body as is here.
  public var requests: [MockRequest] { loop.journal.requests }

  /// Every connection.
  public var connections: [MockConnection] { loop.journal.record.connections }

  /// How many connections are open.
  public var openConnections: Int { loop.journal.record.openConnections }

  /// How many requests came for a path, whatever their query.
  public func count(_ path: String) -> Int {
    loop.journal.record.requests.count { $0.path == path }
  }

  /// Waits until the condition holds, without sleeping: it is asked whenever something happens.
  /// - Parameters:
  ///   - what: Named in the error.
  ///   - limit: Default: 20 s.
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
