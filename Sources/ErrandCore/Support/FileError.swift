#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A failure of an operation on a local file, with the system's reason.
public struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The operation that failed.
  public enum Operation: String, Sendable, Hashable {
    case open, create, read, write, move
  }

  /// The operation that failed.
  public let operation: Operation
  /// The file's path.
  public let path: String
  /// The system's `errno`, or nil if the failure did not come from the system.
  public let systemCode: Int32?
  private let reason: String

  /// Makes an error with the reason from `errno`, so it must be made right after the call that failed.
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

  /// True if there is no such file or folder.
  package var isMissing: Bool { systemCode == ENOENT || systemCode == ENOTDIR }

  /// True if there is something of that name already.
  package var isTaken: Bool { systemCode == EEXIST }

  public var description: String { "cannot \(operation.rawValue) \(path): \(reason)" }
}
