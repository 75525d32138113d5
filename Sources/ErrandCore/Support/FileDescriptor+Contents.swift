#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension FileDescriptor {
  /// Returns the contents of a file, or all bytes from a pipe or a device until its end. Blocks until then.
  /// Cancelling the task ends the wait for a pipe.
  /// - Parameter limit: The maximum number of bytes.
  /// - Throws: `FileError`, if the file cannot be read or has more bytes; `CancellationError`.
  package static func contents(of path: String, limit: Int) throws -> Data {
    let file = try FileDescriptor(reading: path)
    let status = try file.status()
    if status.isRegular || status.isFolder {
      let length = try file.length()
      guard length <= Int64(limit) else {
        throw FileError(.read, path, "it has \(length) bytes, but the limit is \(limit)")
      }
      return try file.read(Int(length), at: 0)
    }
    var contents = Data()
    while let piece = try file.nextPiece() {
      guard piece.count <= limit - contents.count else {
        throw FileError(.read, path, "it has more bytes than the limit of \(limit)")
      }
      contents += piece
    }
    return contents
  }

  /// Returns the next bytes of a pipe or a device. Returns no bytes if none have arrived for a moment, and
  /// nil at the end.
  /// - Throws: `FileError`, or `CancellationError` if the task is cancelled.
  package func nextPiece() throws -> Data? {
    try Task.checkCancellation()
    var entry = pollfd(fd: raw, events: Int16(POLLIN), revents: 0)
    // The wait is short, because it blocks a thread and a cancellation cannot end it.
    if unsafe poll(&entry, 1, 20) == 0 { return Data() }
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    let count = unsafe piece.withUnsafeMutableBytes { bytes in
      unsafe systemRead(raw, bytes.baseAddress, bytes.count)
    }
    if count == 0 { return nil }
    if count > 0 { return Data(piece[..<count]) }
    guard errno == EINTR || errno == EAGAIN else { throw FileError(.read, path) }
    return Data()
  }
}

private func systemRead(_ raw: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(raw, bytes, count)
}
