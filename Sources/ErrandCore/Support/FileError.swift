#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A failure of an operation on a local file, with the system's reason.
public struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// An operation on a file.
  package enum Operation: String, Sendable, Hashable {
    /// The operation that failed. Its raw value is its name in messages.
    case open, create, read, write, move
  }

  /// The operation that failed.
  package let operation: Operation
  /// The file's path.
  public let path: String
  /// The system's `errno`; nil if the failure did not come from the system.
  public let systemCode: Int32?
  package let reason: String

  /// Creates an error with the reason from `errno`. It must be called right after the call that failed.
  package init(_ operation: Operation, _ path: String) {
    let code = errno
    self.operation = operation
    self.path = path
    systemCode = code
    reason = unsafe String(cString: strerror(code))
  }

  package init(_ operation: Operation, _ path: String, _ reason: String) {
    self.operation = operation
    self.path = path
    systemCode = nil
    self.reason = reason
  }

  /// True if the file or its folder does not exist.
  package var isMissing: Bool { systemCode == ENOENT || systemCode == ENOTDIR }

  /// True if a file of that name already exists.
  package var isTaken: Bool { systemCode == EEXIST }

  public var description: String { LogText.line("cannot \(operation.rawValue) \(path): \(reason)") }
}

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
