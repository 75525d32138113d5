#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// An open named pipe that nobody waits for.
final class NamedPipe: Sendable {
  let file: Int32

  /// Nil if there is none.
  init?(_ path: String) {
    // For both: a pipe without a reader ends the process that writes to it, and one without a writer is always at its end.
    file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    if file < 0 { return nil }
  }

  deinit { close(file) }

  /// Whether somebody has it open to read.
  static func hasReader(_ path: String) -> Bool {
    let file = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return errno != ENXIO }
    close(file)
    return true
  }

  /// Does nothing if it is full: then it will be read anyway.
  func writeByte() {
    var byte: UInt8 = 1
    write(file, &byte, 1)
  }

  func drain() {
    var bytes: [UInt8] = Array(repeating: 0, count: 256)
    while read(file, &bytes, bytes.count) > 0 {}
  }
}
