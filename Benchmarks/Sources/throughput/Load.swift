/// One of the compared clients, which requests the same resource repeatedly.
protocol Load: Sendable {
  /// Sends a number of requests, and returns after the last response.
  func run(_ requests: Int) async throws
  /// Closes the client.
  func end() async
}

/// The error of a request that failed.
struct LoadFailed: Error, CustomStringConvertible {
  let description: String
}
