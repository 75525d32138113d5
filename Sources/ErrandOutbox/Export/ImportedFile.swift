import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The bytes of a file to import, read on the queues for file work.
struct ImportedFile: AsyncSequence {
  private static let chunkLength = 256 << 10

  let path: String
  let storage: RequestStorage

  struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let path: String
    fileprivate let storage: RequestStorage
    private var file: FileDescriptor?
    private var position: Int64 = 0

    fileprivate init(path: String, storage: RequestStorage) {
      self.path = path
      self.storage = storage
    }

    mutating func next() async throws -> Data? {
      try Task.checkCancellation()
      let (open, offset, path) = (file, position, path)
      let (now, chunk) = try await storage.perform {
        do {
          let file = try open ?? FileDescriptor(reading: path)
          // Refuses anything but a regular file.
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

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(path: path, storage: storage) }
}
