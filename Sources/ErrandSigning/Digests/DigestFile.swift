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

/// Reads a file once, from its beginning to its end.
enum DigestFile {
  static let pieceLength = 256 << 10

  /// Calls `body` with each piece of the file. All pieces but the last have 256 KiB.
  /// - Throws: `.fileUnreadable` or `.fileChanged`.
  static func forEachPiece(of url: URL, _ body: (UnsafeRawBufferPointer) -> Void) throws(SigningError) {
    let path = url.path(percentEncoded: false)
    // `open` ends the path at a NUL, and would open another file.
    guard url.isFileURL, !path.utf8.contains(0) else { throw unreadable(path, "it is not the URL of a file") }
    // `O_NONBLOCK` does not wait for the writer of a pipe. Pipes are refused next.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw unreadable(path) }
    defer { close(descriptor) }
    let before = try state(descriptor, path)
    guard before.isRegular else { throw unreadable(path, "it is not a regular file") }

    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceLength, alignment: 16)
    defer { piece.deallocate() }
    var length: Int64 = 0
    while true {
      let count = try fill(piece, descriptor, path)
      if count > 0 { body(UnsafeRawBufferPointer(rebasing: piece[..<count])) }
      length += Int64(count)
      // Stops after the known length, because another program may keep appending.
      if count < piece.count || length > before.length { break }
    }
    let after = try state(descriptor, path)
    guard after == before, length == before.length else {
      throw SigningError(
        .fileChanged, "\(path) was written while it was read; take its digest when it is complete")
    }
  }

  /// Reads until the piece is full or the file ends.
  /// - Returns: The number of bytes.
  private static func fill(
    _ piece: UnsafeMutableRawBufferPointer, _ descriptor: Int32, _ path: String
  ) throws(SigningError) -> Int {
    var filled = 0
    while filled < piece.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: piece[filled...])
      let count = read(descriptor, rest.baseAddress, rest.count)
      if count == 0 { break }
      if count > 0 {
        filled += count
      } else if errno != EINTR {
        throw unreadable(path)
      }
    }
    return filled
  }

  /// The state of a file, which differs after the file was written.
  private struct State: Equatable {
    let isRegular: Bool
    let length: Int64
    let seconds: Int
    let nanoseconds: Int
  }

  private static func state(_ descriptor: Int32, _ path: String) throws(SigningError) -> State {
    var info = stat()
    guard fstat(descriptor, &info) == 0 else { throw unreadable(path) }
    #if canImport(Darwin)
      let time = info.st_mtimespec
    #else
      let time = info.st_mtim
    #endif
    return State(
      isRegular: info.st_mode & S_IFMT == S_IFREG, length: Int64(info.st_size), seconds: Int(time.tv_sec),
      nanoseconds: Int(time.tv_nsec))
  }

  private static func unreadable(_ path: String, _ reason: String? = nil) -> SigningError {
    let reason = reason ?? String(cString: strerror(errno))
    return SigningError(.fileUnreadable, "\(path) cannot be read: \(reason)")
  }
}
