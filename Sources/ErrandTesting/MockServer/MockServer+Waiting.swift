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
  /// Waits until the heads of so many requests have arrived, and returns the requests.
  /// - Parameter path: Counts only requests for this path. Default: all requests.
  @discardableResult
  public func waitForRequests(
    _ count: Int = 1, path: String? = nil, within limit: Duration = .seconds(20)
  ) async throws -> [MockRequest] {
    try await wait(for: "\(count) requests\(path.map { " for \($0)" } ?? "")", within: limit) { record in
      record.requests.count { path == nil || $0.path == path } >= count
    }
    return requests.filter { path == nil || $0.path == path }
  }

  /// Waits until exactly so many connections are open.
  public func waitForOpenConnections(_ count: Int, within limit: Duration = .seconds(20)) async throws {
    try await wait(for: "\(count) open connections", within: limit) { $0.openConnections == count }
  }

  /// Waits until a connection has ended, and returns how.
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

/// A gate at which a server's handler waits until it is opened. It blocks the server's only thread, so no
/// other request gets a response meanwhile, and the end of a connection is not seen.
package final class ServerGate: Sendable {
  private let limit: Duration
  private let isOpen = DispatchSemaphore(value: 0)

  /// - Parameter limit: The gate opens by itself after this time. Default: 50 s.
  package init(limit: Duration = .seconds(50)) { self.limit = limit }

  package func open() { isOpen.signal() }

  /// Waits until the gate is open or the limit has passed.
  package func pass() {
    _ = isOpen.wait(timeout: .now() + limit.seconds)
    isOpen.signal()
  }
}

/// An error of a mock server, or a wait that ended in vain.
public struct MockServerError: Error, Sendable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }

  init(_ error: SocketError) { self.init(error.description) }
}
