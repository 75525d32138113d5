import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The bytes of a file to import, read where all file work is done.
struct ImportedFile: AsyncSequence {
  private static let chunkLength = 256 << 10

  let path: String
  let folder: ContentFolder

  struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let path: String
    fileprivate let folder: ContentFolder
    private var file: FileDescriptor?
    private var position: Int64 = 0

    fileprivate init(path: String, folder: ContentFolder) {
      self.path = path
      self.folder = folder
    }

    mutating func next() async throws -> Data? {
      try Task.checkCancellation()
      let (open, offset, path) = (file, position, path)
      let (now, chunk) = try await folder.perform {
        do {
          let file = try open ?? FileDescriptor(reading: path)
          // Refuses what is not a regular file.
          if open == nil { _ = try file.length() }
          return (file, try file.read(ImportedFile.chunkLength, at: offset))
        } catch {
          throw OutboxError(.fileUnreadable, "the file to import cannot be used: \(error)")
        }
      }
      file = now
      position += Int64(chunk.count)
      return chunk.isEmpty ? nil : chunk
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(path: path, folder: folder) }
}
