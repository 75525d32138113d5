#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The place that a path leads to, through all symbolic links, and how it is written.
package enum FilePlace: Sendable, Hashable {
  /// A regular file, or a path without a file. The path does not end with a link.
  case regular(path: String)
  /// A descriptor of this process, such as `/dev/stdout` or `/dev/fd/3`. It is written at its current
  /// position.
  case descriptor(Int32)
  /// A pipe, a device or a socket, which is written to and never replaced.
  case special(path: String)
  case folder(path: String)

  private static let mostLinks = 40

  /// Follows the links of a path.
  /// - Throws: `FileError`, if the links form a loop.
  package init(_ path: String) throws(FileError) {
    var current = path
    for _ in 0..<Self.mostLinks {
      if let descriptor = Self.descriptor(current) {
        self = .descriptor(descriptor)
        return
      }
      guard let status = FileDescriptor.status(of: current), status.isLink else {
        self = Self.kind(of: current)
        return
      }
      guard let next = Self.target(of: current) else { throw FileError(.open, current) }
      current = next
    }
    throw FileError(.open, path, "its symbolic links form a loop")
  }

  private static func kind(of path: String) -> FilePlace {
    guard let status = FileDescriptor.status(of: path) else { return .regular(path: path) }
    if status.isFolder { return .folder(path: path) }
    return status.isRegular ? .regular(path: path) : .special(path: path)
  }

  /// Returns the path in a symbolic link, relative to the link's folder.
  private static func target(of path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(path, &bytes, bytes.count)
    guard count > 0 else { return nil }
    // A path with replaced characters would be another than the link's.
    guard let target = String(validating: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) else {
      return nil
    }
    if target.utf8.first == UInt8(ascii: "/") { return target }
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return target }
    return path[...slash] + target
  }

  /// Returns the descriptor that a path names; nil for any other path. Opening such a path instead would
  /// start a regular file from its beginning, and fail for a socket.
  private static func descriptor(_ path: String) -> Int32? {
    switch path {
    case "/dev/stdin": return STDIN_FILENO
    case "/dev/stdout": return STDOUT_FILENO
    case "/dev/stderr": return STDERR_FILENO
    default: break
    }
    for folder in ["/dev/fd/", "/proc/self/fd/", "/proc/\(getpid())/fd/"] where path.hasPrefix(folder) {
      return ASCII.wholeNumber(path.dropFirst(folder.count)).flatMap(Int32.init(exactly:))
    }
    return nil
  }
}
