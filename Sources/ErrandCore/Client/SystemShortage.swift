#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The underlying error of a request that failed because this process or machine has exhausted a resource,
/// such as descriptors.
package struct SystemShortage: Error, Sendable, Hashable, CustomStringConvertible {
  /// The system's `errno`.
  package let code: Int32

  /// Returns nil for other values of `errno`.
  package init?(_ code: Int32) {
    guard Self.codes.contains(code) else { return nil }
    self.code = code
  }

  package static let codes: Set<Int32> = [EMFILE, ENFILE, ENOMEM, ENOBUFS]

  package var description: String { unsafe String(cString: strerror(code)) }
}
