import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file that fills the disk until it is released.
struct Ballast: Sendable {
  let path: String

  /// Writes `limit` bytes, or as many as the disk accepts.
  func fill(_ limit: Int = .max) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    defer { close(file) }
    var left = limit
    // Smaller and smaller pieces fill the last bytes, too.
    for size in [65_536, 4096, 512, 1] {
      let bytes = [UInt8](repeating: 1, count: size)
      while left >= size, write(file, bytes, size) == size { left -= size }
    }
  }

  func drop() { FileDescriptor.remove(path) }
}
