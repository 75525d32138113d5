import ErrandCore

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

/// Small values, each in its own file in the outbox's folder.
extension BlobFolder {
  public func value(_ name: String) async throws -> Data? {
    let path = "\(outbox)/\(name)"
    // An outbox without a key checks this before it stores a request, and has no such file.
    if access(path, F_OK) != 0, errno == ENOENT || errno == ENOTDIR { return nil }
    return try await perform {
      do {
        return try FileDescriptor(reading: path).read(4096, at: 0)
      } catch let error as FileError where error.systemCode == ENOENT || error.systemCode == ENOTDIR {
        return nil
      }
    }
  }

  public func setValue(_ data: Data, _ name: String) async throws {
    try await perform {
      try self.make()
      try self.place(data, at: "\(self.outbox)/\(name)")
    }
  }

  /// Creates a file. If two processes do that at once, the first one wins.
  private func place(_ data: Data, at path: String) throws {
    let hold = try ContentHold(in: self.path)
    let part = try ContentWriter(folder: self.path, hold: hold) { false }.newPart(hold.newNumber())
    defer {
      FileDescriptor.remove(part.path)
      withExtendedLifetime(hold) {}
    }
    do {
      try part.write(data, at: 0)
      try part.flush()
      if link(part.path, path) != 0, errno != EEXIST {
        // Not every file system has hard links.
        try FileDescriptor.move(part.path, to: path)
      }
      try FileDescriptor.flushFolder(outbox)
    } catch let error as FileError {
      throw OutboxError.unwritable(error)
    }
  }
}
