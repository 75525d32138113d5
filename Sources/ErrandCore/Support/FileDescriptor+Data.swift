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
  /// Reads `count` bytes, fewer only at the end of the file.
  package func read(_ count: Int, at offset: Int64) throws -> Data {
    var data = Data(count: count)
    let read = try unsafe data.withUnsafeMutableBytes { bytes in
      var done = 0
      while done < bytes.count {
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
        let step = try unsafe self.read(into: room, at: offset + Int64(done))
        if step == 0 { break }
        done += step
      }
      return done
    }
    return read == count ? data : data.prefix(read)
  }

  package func write(_ data: Data, at offset: Int64) throws {
    try unsafe data.withUnsafeBytes { try unsafe self.write($0, at: offset) }
  }

  /// Returns when the file's content is on the disk (fsync).
  package func sync() throws(FileError) {
    while fsync(raw) != 0 {
      if errno != EINTR { throw FileError(.write, path) }
    }
  }
}
