/// One of the clients that are compared: asks for the same small thing again and again.
protocol Load: Sendable {
  /// Performs so many requests and returns when all are answered.
  func run(_ requests: Int) async throws
  /// Closes what it holds.
  func end() async
}

/// Not every request was answered.
struct LoadFailed: Error, CustomStringConvertible {
  let description: String
}
