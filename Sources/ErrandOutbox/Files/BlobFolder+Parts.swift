import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Files that do not belong to a request yet. Each is open only during a write, because there may be many.
extension BlobFolder {
  func newHold() async throws -> ContentHold {
    try await perform {
      try self.make()
      return try ContentHold(in: self.path)
    }
  }

  /// - Returns: The part's path.
  func newPart(under hold: ContentHold) async throws -> String {
    try await perform {
      try ContentWriter(folder: self.path, hold: hold) { false }
        .newPart(hold.newNumber()).path
    }
  }

  func append(_ data: Data, to part: String, at offset: Int64) async throws {
    try await perform {
      do {
        try FileDescriptor(writing: part).write(data, at: offset)
      } catch let error as FileError {
        throw OutboxError.unwritable(error)
      }
    }
  }

  func remove(parts: [String]) async {
    try? await perform {
      for part in parts { FileDescriptor.remove(part) }
    }
  }
}
