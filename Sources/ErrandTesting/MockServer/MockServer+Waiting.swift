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
