#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What went wrong with a local file, with the system's own reason.
public struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was tried.
  public enum Operation: String, Sendable, Hashable {
    case open, create, read, write, move
  }

  /// What was tried.
  public let operation: Operation
  /// The file.
  public let path: String
  /// The system's `errno`, or nil if the system had no part in it.
  public let systemCode: Int32?
  private let reason: String

  /// Takes the reason from `errno`, so it must be made right after the call that failed.
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

  public var description: String { "cannot \(operation.rawValue) \(path): \(reason)" }
}
