#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// An error of a mock server, or a wait that ended in vain.
public struct MockServerError: Error, Sendable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }

  /// Returns an error with the system's reason, from `errno`.
  static func system(_ what: String) -> MockServerError {
    MockServerError("\(what): \(String(cString: strerror(errno)))")
  }
}
