/// One of the clients that are compared: it requests the same small resource repeatedly.
protocol Load: Sendable {
  /// Performs so many requests and returns when all have a response.
  func run(_ requests: Int) async throws
  /// Closes the client.
  func end() async
}

/// A request had no response.
struct LoadFailed: Error, CustomStringConvertible {
  let description: String
}
