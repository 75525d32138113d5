import Dispatch
import ErrandCore
import ErrandServing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension MockServer {
  /// Waits until the heads of at least `count` requests have arrived, and returns all requests.
  /// - Parameters:
  ///   - count: The number of requests. Default: 1.
  ///   - path: Counts and returns only requests for this path. Default: all requests.
  ///   - limit: The longest wait. Default: 20 s.
  /// - Throws: `MockServerError` after the limit.
  @discardableResult
  public func waitForRequests(
    _ count: Int = 1, path: String? = nil, within limit: Duration = .seconds(20)
  ) async throws -> [MockRequest] {
    try await wait(for: "\(count) requests\(path.map { " for \($0)" } ?? "")", within: limit) { record in
      record.requests.count { path == nil || $0.path == path } >= count
    }
    return requests.filter { path == nil || $0.path == path }
  }

  /// Waits until exactly `count` connections are open.
  /// - Throws: `MockServerError` after the limit, which is 20 s by default.
  public func waitForOpenConnections(_ count: Int, within limit: Duration = .seconds(20)) async throws {
    try await wait(for: "\(count) open connections", within: limit) { $0.openConnections == count }
  }

  /// Waits until a connection has ended, and returns how it ended.
  /// - Parameter number: The number of the connection, from 1.
  /// - Throws: `MockServerError` after the limit, which is 20 s by default.
  @discardableResult
  public func waitUntilClosed(
    connection number: Int, within limit: Duration = .seconds(20)
  ) async throws -> MockConnection.End {
    let record = try await wait(for: "the end of connection \(number)", within: limit) { record in
      record.connections.count >= number && !record.connections[number - 1].isOpen
    }
    guard let end = record.connections[number - 1].end else {
      throw MockServerError("connection \(number) has not ended")
    }
    return end
  }
}

/// A gate at which a server's handler waits until the test opens it. The wait blocks the server's only thread,
/// so the server sends no other response and notices no end of a connection meanwhile.
package final class ServerGate: Sendable {
  private let limit: Duration
  private let isOpen = DispatchSemaphore(value: 0)

  /// Creates a closed gate.
  /// - Parameter limit: The longest wait at the gate. Default: 50 s.
  package init(limit: Duration = .seconds(50)) { self.limit = limit }

  /// Opens the gate.
  package func open() { isOpen.signal() }

  /// Waits until the gate is open or the limit has passed.
  package func pass() {
    _ = isOpen.wait(timeout: .now() + limit.seconds)
    isOpen.signal()
  }
}

/// An error of a mock server, or a wait that reached its limit.
public struct MockServerError: Error, Sendable, CustomStringConvertible {
  /// The reason, as a sentence.
  public let description: String

  /// Creates an error with a reason.
  package init(_ description: String) { self.description = description }

  init(_ error: SocketError) { self.init(error.description) }
}
