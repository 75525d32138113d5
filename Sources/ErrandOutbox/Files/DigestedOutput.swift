import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes a file from its start, and computes the digest of what was written.
struct DigestedOutput: ~Copyable {
  private let file: FileDescriptor
  private var hash = SHA256()
  private(set) var length: Int64 = 0

  init(_ file: FileDescriptor) { self.file = file }

  mutating func append(_ data: Data) throws {
    hash.update(data)
    do {
      try file.write(data, at: length)
    } catch let error as FileError {
      throw OutboxError.unwritable(error)
    }
    length += Int64(data.count)
  }

  consuming func finish() -> (digest: SHA256Digest, length: Int64) { (hash.finalize(), length) }
}
