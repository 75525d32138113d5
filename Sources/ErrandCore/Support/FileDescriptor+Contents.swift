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
  /// Returns the contents of a file, or all that comes through a pipe or from a device until its end. Blocks until then;
  /// the cancellation of the task ends the wait for a pipe.
  /// - Parameter limit: The most bytes.
  /// - Throws: `FileError`, if the file cannot be read or has more bytes; `CancellationError`.
  package static func contents(of path: String, limit: Int) throws -> Data {
    let file = try FileDescriptor(reading: path)
    let status = try file.status()
    if status.isRegular || status.isFolder {
      let length = try file.length()
      guard length <= Int64(limit) else {
        throw FileError(.read, path, "it has \(length) bytes, and at most \(limit) are read")
      }
      return try file.read(Int(length), at: 0)
    }
    var contents = Data()
    while let piece = try file.nextPiece() {
      guard piece.count <= limit - contents.count else {
        throw FileError(.read, path, "it has more than the \(limit) bytes that are read at most")
      }
      contents += piece
    }
    return contents
  }

  /// Returns the next bytes of a pipe or a device; nil at its end. Blocks until there are some.
  /// - Throws: `FileError`, or `CancellationError` if the task is cancelled.
  package func nextPiece() throws -> Data? {
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      try Task.checkCancellation()
      var entry = pollfd(fd: raw, events: Int16(POLLIN), revents: 0)
      // The cancellation cannot end a wait in the system, so each is short.
      if unsafe poll(&entry, 1, 20) == 0 { continue }
      let count = unsafe piece.withUnsafeMutableBytes { bytes in
        unsafe systemRead(raw, bytes.baseAddress, bytes.count)
      }
      if count > 0 { return Data(piece[..<count]) }
      if count == 0 { return nil }
      if errno != EINTR, errno != EAGAIN { throw FileError(.read, path) }
    }
  }
}

private func systemRead(_ raw: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(raw, bytes, count)
}
