import ErrandCore
import ErrandCrypto

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Darwin)
  import Darwin
#endif

/// Writes one file into the outbox's folder: complete and durable, or not at all. All methods block.
struct ContentWriter {
  let folder: String
  let hold: ContentHold
  let isCancelled: @Sendable () -> Bool

  func write(_ source: BlobSource) throws -> StoredBlob {
    var reader = try source.open()
    let number = hold.newNumber()
    var part = try newPart(number)
    do {
      Failpoint.hit(.beforeFileWrite)
      let digest = try copy(&reader, into: &part)
      let name = ContentFileName.of(digest, source.request, number)
      try Self.writing { () throws(FileError) in
        Failpoint.hit(.afterFileWrite)
        try part.flush()
        try FileDescriptor.move(part.path, to: "\(folder)/\(name)")
        Failpoint.hit(.afterFileMove)
      }
      return StoredBlob(name: name, size: reader.size, hold: hold)
    } catch {
      FileDescriptor.remove(part.path)
      throw error
    }
  }

  /// Creates an empty part.
  func newPart(_ number: String) throws(OutboxError) -> FileDescriptor {
    try Self.writing { () throws(FileError) in
      let part = try FileDescriptor(private: "\(folder)/\(ContentFileName.part(number))")
      FolderOwner.adopt(part.raw, in: folder)
      return part
    }
  }

  static func writing<Result>(_ work: () throws(FileError) -> Result) throws(OutboxError) -> Result {
    do { return try work() } catch { throw .unwritable(error) }
  }

  /// - Returns: The digest of the part's bytes.
  private func copy(
    _ reader: inout BlobSource.Reader, into part: inout FileDescriptor
  ) throws -> SHA256Digest {
    if let file = reader.plainFile, let clone = cloned(file, part) {
      part = clone
      let digest = try digest(of: part, length: reader.size)
      try reader.checkUnchanged()
      return digest
    }
    var output = DigestedOutput(part)
    while let piece = try next(of: &reader) { try output.append(piece) }
    return output.finish()
  }

  private func next(of reader: inout BlobSource.Reader) throws -> Data? {
    if isCancelled() { throw CancellationError() }
    return try reader.next()
  }

  /// Returns the part as a clone that shares the file's blocks; nil if the file system cannot clone.
  private func cloned(_ file: FileDescriptor, _ part: FileDescriptor) -> FileDescriptor? {
    #if canImport(Darwin)
      // `fclonefileat` creates the file itself.
      let path = "\(folder)/\(ContentFileName.part(hold.newNumber()))"
      guard fclonefileat(file.raw, AT_FDCWD, path, 0) == 0 else { return nil }
      guard let clone = try? FileDescriptor(writing: path), fchmod(clone.raw, 0o600) == 0 else {
        FileDescriptor.remove(path)
        return nil
      }
      FolderOwner.adopt(clone.raw, in: folder)
      FileDescriptor.remove(part.path)
      return clone
    #else
      return part.clone(file) ? part : nil
    #endif
  }

  private func digest(of part: FileDescriptor, length: Int64) throws -> SHA256Digest {
    let copy = try Self.writing { () throws(FileError) in try FileDescriptor(reading: part.path) }
    var hash = SHA256Hash()
    var offset: Int64 = 0
    while offset < length {
      if isCancelled() { throw CancellationError() }
      let chunk = try copy.read(Int(min(length - offset, 1 << 20)), at: offset)
      // The source was truncated while it was cloned; `checkUnchanged` reports that afterwards.
      if chunk.isEmpty { break }
      hash.update(chunk)
      offset += Int64(chunk.count)
    }
    return hash.finalize()
  }
}

/// Writes a file from its start, and computes the digest of the written bytes.
private struct DigestedOutput: ~Copyable {
  private let file: FileDescriptor
  private var hash = SHA256Hash()
  private var length: Int64 = 0

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

  consuming func finish() -> SHA256Digest { hash.finalize() }
}
