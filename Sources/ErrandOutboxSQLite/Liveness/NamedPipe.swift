#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// An open named pipe whose reads and writes do not block.
final class NamedPipe: Sendable {
  let file: Int32

  /// Opens a named pipe; nil if there is none.
  init?(_ path: String) {
    // Opened for reading and writing: writing to a pipe without a reader kills the process, and a pipe
    // without a writer is always at its end.
    file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    if file < 0 { return nil }
  }

  deinit { close(file) }

  /// Returns whether a process has the pipe open for reading; true if that is not known.
  static func hasReader(_ path: String) -> Bool {
    let file = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return errno != ENXIO }
    close(file)
    return true
  }

  /// Writes a byte, unless the pipe is full: then it will be read anyway.
  func writeByte() {
    var byte: UInt8 = 1
    write(file, &byte, 1)
  }

  func drain() {
    var bytes: [UInt8] = Array(repeating: 0, count: 256)
    while read(file, &bytes, bytes.count) > 0 {}
  }
}
