import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Files that are not a request's yet. They are held, so nobody sweeps them while they are open.
extension ContentFolder {
  func newPart() async throws -> FileDescriptor {
    try await perform {
      try self.make()
      return try ContentWriter(folder: self.path, seal: ContentSeal(nil)) { false }.newPart()
    }
  }

  func append(_ data: Data, to part: FileDescriptor, at offset: Int64) async throws {
    try await perform {
      do {
        try part.write(data, at: offset)
      } catch let error as FileError {
        throw OutboxError.unwritable(error)
      }
    }
  }

  func remove(parts: [FileDescriptor]) async {
    try? await perform {
      for part in parts { FileDescriptor.remove(part.path) }
    }
  }
}
