#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What went wrong with a mock server, or what it waited for in vain.
public struct MockServerError: Error, Sendable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }

  /// With the system's reason, from `errno`.
  static func system(_ what: String) -> MockServerError {
    MockServerError("\(what): \(String(cString: strerror(errno)))")
  }
}
